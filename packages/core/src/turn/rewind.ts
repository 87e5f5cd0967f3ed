/** Rewind: back to a message, and what the tools did since is undone where they can. */
import { reachable } from '../agents/active-agent.ts'
import { DogearError, toErrorData } from '../error.ts'
import { readAbandoned, undoOf, type AbandonedCall } from '../session/abandoned.ts'
import type { Command } from '../session/command.ts'
import type { NewEntry } from '../session/journal.ts'
import type { Rewound, RewoundCall } from '../session/state.ts'
import { endOfStep, nodeNamed, refuseUnlessIdle, type Mover } from './branch.ts'
import type { RunTool } from './run.ts'

/**
 * The command stays in the inbox until all is done: whoever takes over goes on with what was not begun. What was begun
 * and has no result is reported as unknown, and never tried again.
 */
export async function rewindEntries(
  mover: Mover,
  { messageId, commandId }: Extract<Command, { type: 'rewind' }>,
): Promise<NewEntry[]> {
  const { fold } = mover.journal
  refuseUnlessIdle(fold.head)
  const leaf = messageId === null ? null : endOfStep(fold, nodeNamed(fold, messageId).id)
  const { place, calls } = await readAbandoned(mover.store, fold, leaf)
  const rewound: { [T in keyof Rewound]: RewoundCall[] } = { undone: [], notUndone: [], unknown: [] }
  for (const call of calls) {
    const tool = toolOf(mover, call)
    const known = undoOf(call, tool)
    const { outcome, error } =
      known === 'run' ? await undo(mover, call, tool as RunTool) : { ...call.undo, outcome: known }
    if (outcome) rewound[outcome].push(rewoundCall(call, error))
  }
  return [{ type: 'cursor-set', commandId, ...place, rewound }]
}

export function rewoundCall({ callId, tool, label }: AbandonedCall, error?: string): RewoundCall {
  return { callId, tool, ...(label !== undefined && { label }), ...(error !== undefined && { error }) }
}

/** Of the agent that asked for the call: another's tool of the same name may do something else. */
function toolOf({ agent }: Mover, call: AbandonedCall): RunTool | undefined {
  const asked = reachable(agent).find(({ name }) => name === (call.agent ?? agent.name))
  return asked?.tools.find(({ name }) => name === call.tool)
}

async function undo(
  { journal, clock, signal }: Mover,
  { callId, args, content }: AbandonedCall,
  tool: RunTool,
): Promise<{ outcome: keyof Rewound; error?: string }> {
  // Written before it runs: a crash here must not refund the card twice.
  await journal.append([{ type: 'undo-intent', callId }])
  const late = new AbortController()
  const over = AbortSignal.any([signal, late.signal])
  const idempotencyKey = `${journal.fold.head.sessionId}:${callId}`
  const run = async () => tool.undo?.(args, { result: valueOf(content), idempotencyKey, signal: over })
  const running = run().then(
    () => ({ type: 'undo-result' as const, callId }),
    (error: unknown) => ({ type: 'undo-result' as const, callId, error: toErrorData(error) }),
  )
  const done = new AbortController()
  const limit = clock.sleep(tool.timeout, AbortSignal.any([signal, done.signal])).then(() => undefined)
  const result = await Promise.race([running, limit])
  done.abort()
  late.abort()
  if (signal.aborted) throw new DogearError('session-closed', 'This tab let go of the session.')
  if (!result) return { outcome: 'unknown', error: `${tool.name} did not undo this within ${tool.timeout / 1000} s.` }
  await journal.append([result])
  return 'error' in result ? { outcome: 'notUndone', error: result.error.message } : { outcome: 'undone' }
}

/** What the tool gave, where its text is data. */
function valueOf(content: string): unknown {
  try {
    return JSON.parse(content)
  } catch {
    return content
  }
}
