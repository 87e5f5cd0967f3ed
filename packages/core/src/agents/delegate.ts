/** Another agent at work for a call: its entries stand in the same journal under the call's path, so it resumes like any turn. */
import type { NewEntry } from '../session/journal.ts'
import { statusOf, workerKey } from '../session/fold.ts'
import { textOf } from '../session/message.ts'
import type { OpenCall } from '../session/state.ts'
import type { CallReply } from '../tools/result.ts'
import { createDeadlines } from '../turn/deadlines.ts'
import type { Run, Task } from '../turn/run.ts'
import { stepStart } from '../turn/step-start.ts'
import { activeAgent } from './active-agent.ts'

/** Runs a turn until it rests: handed in, because a turn's calls are what delegates. */
export type Drive = (run: Run) => Promise<void>

/** Works until every task has its answer; undefined when one of them waits for a person. */
export async function delegate(
  run: Run,
  call: OpenCall,
  tasks: readonly Task[],
  drive: Drive,
): Promise<CallReply | undefined> {
  const children = tasks.map((task, index) => childRun(run, call, task, index))
  const unbegun = children.flatMap((child, index) =>
    child.isBegun ? [] : firstEntries(child.run, tasks[index] as Task),
  )
  if (unbegun.length) await run.journal.append(unbegun)
  await Promise.all(children.map((child) => drive(child.run)))
  run.signal.throwIfAborted()
  if (children.some((child) => statusOf(child.run.journal.fold.head) === 'paused')) return undefined
  const replies = await Promise.all(children.map((child) => replyOf(child.run)))
  const [only] = replies
  if (replies.length === 1 && only) return only
  const results = replies.map(({ status, content }, index) => ({ agent: tasks[index]?.agent.name, status, content }))
  return { status: 'complete', content: JSON.stringify(results) }
}

function childRun(run: Run, { callId }: OpenCall, { agent }: Task, index: number) {
  const journal = run.journal.child(workerKey(callId, index))
  const isBegun = journal.fold.head.seq > 0
  const child: Run = {
    ...run,
    journal,
    agent: () => activeAgent(agent, journal.fold.head.activeAgent),
    recovering: isBegun,
    ready: new Map(),
    deadlines: createDeadlines(run.clock),
    settling: new Set(),
    emit: () => {},
    shown: () => null,
    // The rows are the parent's to take: it ends after its children.
    stopping: () => run.stopping() && { commandId: run.stopping()?.commandId ?? '', take: [] },
    checkpoint: undefined,
  }
  return { run: child, isBegun }
}

function firstEntries({ journal, clock }: Run, { agent, input }: Task): NewEntry[] {
  const { path } = journal
  const turnId = path.at(-1) ?? ''
  const { sessionId } = journal.fold.head
  const at = { turnId, path }
  return [
    { type: 'session-start', agent: agent.name, sessionId, ...at },
    { type: 'turn-start', origin: 'agent', ...at },
    {
      type: 'message-add',
      message: {
        id: `${turnId}.u`,
        role: 'user',
        content: input,
        meta: { status: 'complete', createdAt: clock.now() },
      },
      ...at,
    },
    { ...stepStart({ id: turnId, step: 0 }), path },
  ]
}

async function replyOf({ journal }: Run): Promise<CallReply> {
  const { agent, lastEnd } = journal.fold.head
  const reason = lastEnd?.terminalReason ?? 'completed'
  const last = (await journal.messages()).findLast((message) => message.role === 'assistant')
  const text = last ? textOf(last) : ''
  if (reason === 'completed') return { status: 'complete', content: text || 'Done.' }
  const why = lastEnd?.error?.message ?? reason
  return { status: 'error', content: [`${agent} did not finish: ${why}`, text].filter(Boolean).join('\n\n') }
}
