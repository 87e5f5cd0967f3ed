/** What follows a turn: nothing, or the words its agent goes on with, in the very write that ends it. */
import { describeError } from '../error.ts'
import type { NewEntry } from '../session/journal.ts'
import { headOf, turnOf, type Run } from './run.ts'
import { stepStart } from './step-start.ts'
import { unlessStopped } from './unless-stopped.ts'

export async function nextTurn(run: Run, text: string): Promise<NewEntry[]> {
  const { onTurn } = run.agent()
  // What a person has queued goes first; and an agent at work for another has its answer to give.
  if (!onTurn || run.journal.path.length || headOf(run).queue.length) return []
  const { id, step, tainted } = turnOf(run)
  const [, first = id, before = '0'] = /^(.+)\+(\d+)$/.exec(id) ?? []
  const turn = Number(before) + 1
  const asked = Promise.resolve().then(() => onTurn({ text, steps: step, turn }))
  const decision = await unlessStopped(run.signal, asked).catch((error: unknown) => {
    run.signal.throwIfAborted()
    run.warn(`onTurn threw (${describeError(error)}); the agent rests.`)
    return 'stop' as const
  })
  if (typeof decision !== 'object') return []
  const turnId = `${first}+${turn}`
  const meta = { status: 'complete' as const, createdAt: run.clock.now() }
  return [
    { type: 'turn-start', turnId, origin: 'code', ...(tainted && { tainted }) },
    { type: 'message-add', turnId, message: { id: `${turnId}.u`, role: 'user', content: decision.continue, meta } },
    stepStart({ id: turnId, step: 0 }),
  ]
}
