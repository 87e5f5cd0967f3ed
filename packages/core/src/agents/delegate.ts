/** Other agents at work for a call: their entries stand in the same journal under the call's path, so they resume like any turn. */
import { askHooks } from '../permission/ask-hooks.ts'
import type { HookEvent, HookOutput } from '../permission/hooks.ts'
import type { NewEntry } from '../session/journal.ts'
import { statusOf, workerKey } from '../session/fold.ts'
import { textOf } from '../session/message.ts'
import type { Partial } from '../session/partial.ts'
import type { OpenCall } from '../session/state.ts'
import { resultText, type CallReply } from '../tools/result.ts'
import { toolsNow } from '../turn/begin.ts'
import { createDeadlines } from '../turn/deadlines.ts'
import { budgetReached } from '../turn/limits.ts'
import { headOf, type Run, type Task } from '../turn/run.ts'
import { stepStart } from '../turn/step-start.ts'
import { activeAgent, workerOf } from './active-agent.ts'
import { taskInput } from './child-context.ts'
import { delegationRefusal } from './delegation-limits.ts'

/** Runs a turn until it rests: handed in, because a turn's calls are what delegates. */
export type Drive = (run: Run) => Promise<void>

/** Works until every task has its answer; undefined when one of them waits for a person. */
export async function delegate(
  run: Run,
  call: OpenCall,
  tasks: readonly Task[],
  drive: Drive,
): Promise<CallReply | undefined> {
  const isBegun = (headOf(run).children[call.callId]?.seq ?? 0) > 0
  const refusal = isBegun ? undefined : delegationRefusal(run, tasks.length)
  if (refusal) return { status: 'error', content: refusal }
  const children = tasks.map((task, index) => childRun(run, task, workerKey(call.callId, index)))
  if (!isBegun) await begin(run, children, tasks)
  await driveAll(run, children, drive)
  run.signal.throwIfAborted()
  if (children.some((child) => statusOf(headOf(child)) === 'paused')) return undefined
  const replies = await Promise.all(children.map(replyOf))
  for (const [index, { status }] of replies.entries()) {
    if (status === 'complete') await tellTask(run, 'TaskCompleted', children[index] as Run, {})
  }
  const [only] = replies
  if (replies.length === 1 && only) return only
  const results = replies.map(({ status, content }, index) => ({ agent: tasks[index]?.agent.name, status, content }))
  return { status: 'complete', content: JSON.stringify(results) }
}

function childRun(run: Run, task: Task, key: string): Run {
  const journal = run.journal.child(key)
  const { head } = journal.fold
  let shown: Partial | null = null
  let { agent } = task
  let parent = run.agent()
  const stop = run.taskStop?.(key)
  return {
    ...run,
    journal,
    agent() {
      // The page may define its agents anew while a child waits for one of its tools.
      if (run.agent() !== parent) {
        parent = run.agent()
        agent = workerOf(parent, headOf(run), key) ?? agent
      }
      return activeAgent(agent, head)
    },
    startedAt: run.clock.elapsed(),
    signal: stop ? AbortSignal.any([run.signal, stop.controller.signal]) : run.signal,
    above: run,
    budgetAbove: () => budgetReached(run),
    costAbove: run.agent().costOf ?? run.costAbove,
    recovering: head.turn?.openStep != null,
    ready: new Map(),
    deadlines: createDeadlines(run.clock),
    settling: new Set(),
    emit: (partial) => void (shown = partial),
    shown: () => shown,
    // Only the parent's end answers the command: one that died before it must find the command again.
    stopping: () => (run.stopping() ? { take: [] } : stop?.stopping),
    checkpoint: undefined,
    asksAt: undefined,
  }
}

/** All in one write: either every task of a call is begun, or none. */
async function begin(run: Run, children: readonly Run[], tasks: readonly Task[]): Promise<void> {
  const inputs = await Promise.all(
    tasks.map(async (task, index) => {
      const input = await taskInput(run, task)
      const about = { agent_id: children[index]?.journal.path.at(-1) ?? '', agent_type: task.agent.name }
      const contexts = [input]
      const heard = ({ hookSpecificOutput }: HookOutput) => {
        if (hookSpecificOutput?.additionalContext) contexts.push(hookSpecificOutput.additionalContext)
      }
      await askHooks(run, 'SubagentStart', { about: task.agent.name, input: () => about, heard })
      const task_description = contexts.join('\n\n')
      await tellTask(run, 'TaskCreated', children[index] as Run, { task_description })
      return task_description
    }),
  )
  const entries = children.flatMap((child, index) => firstEntries(child, inputs[index] ?? ''))
  await run.journal.append(entries)
}

function tellTask(
  run: Run,
  event: 'TaskCreated' | 'TaskCompleted',
  child: Run,
  told: { readonly task_description?: string },
): Promise<void> {
  const { name: agent_type } = child.agent()
  const task_id = child.journal.path.at(-1) ?? ''
  return askHooks<HookEvent>(run, event, { about: agent_type, input: () => ({ ...told, task_id, agent_type }) })
}

function firstEntries(child: Run, content: string): NewEntry[] {
  const { journal, clock } = child
  const { path } = journal
  const turnId = path.at(-1) ?? ''
  const agent = child.agent()
  const at = { turnId, path }
  const meta = { status: 'complete', createdAt: clock.now() } as const
  const tools = toolsNow(journal.fold, agent)
  return [
    { type: 'session-start', agent: agent.name, version: agent.version, sessionId: headOf(child).sessionId, ...at },
    { type: 'turn-start', origin: 'agent', ...at },
    { type: 'message-add', message: { id: `${turnId}.u`, role: 'user', content, meta }, ...at },
    ...(tools ? [{ type: 'meta-set' as const, tools, ...at }] : []),
    { ...stepStart({ id: turnId, step: 0 }), path },
  ]
}

/** Drives those that can go on, a few at a time; one that a person answers goes on while others still work. */
async function driveAll(run: Run, children: readonly Run[], drive: Drive): Promise<void> {
  const { maxParallelChild } = run.agent().profile.delegation
  const active = new Map<Run, Promise<unknown>>()
  const failures: unknown[] = []
  while (!failures.length && !run.signal.aborted) {
    for (const child of children) {
      if (active.size >= maxParallelChild) break
      if (active.has(child) || statusOf(headOf(child)) !== 'busy') continue
      const driving = drive(child)
        // Stopped, and not ended: driven again and again it would freeze the tab.
        .then(() => statusOf(headOf(child)) === 'busy' && child.signal.throwIfAborted())
        .catch((error: unknown) => void failures.push(error))
        .finally(() => active.delete(child))
      active.set(child, driving)
    }
    if (active.size === 0) break
    await Promise.race([...active.values(), run.journal.changed()])
  }
  await Promise.all(active.values())
  if (failures.length) throw failures[0]
}

async function replyOf({ journal }: Run): Promise<CallReply> {
  const { agent, lastEnd } = journal.fold.head
  const reason = lastEnd?.terminalReason ?? 'completed'
  const last = (await journal.messages()).findLast((message) => message.role === 'assistant')
  const text = last ? textOf(last) : ''
  const output = lastEnd?.output
  if (output !== undefined) return { status: 'complete', content: resultText(output) }
  if (reason === 'completed') return { status: 'complete', content: text || 'Done.' }
  const why = lastEnd?.error?.message ?? reason
  return { status: 'error', content: [`${agent} did not finish: ${why}`, text].filter(Boolean).join('\n\n') }
}
