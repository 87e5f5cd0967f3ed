/** A run in memory, for `invoke`: told to the page like a session, under its own id, because two may go on from one state. */
import { runInMemory, type Store } from '@dogear/core'
import type { ToHost, ToPage } from '../protocol.ts'
import { createDeltas } from './deltas.ts'
import type { Platform } from './platform.ts'
import { remoteAgent, type PageCalls } from './remote-agent.ts'

export interface RunSurroundings {
  readonly platform: Platform
  readonly page: PageCalls
  readonly post: (message: ToPage) => void
  readonly warn: (message: string) => void
  readonly signal: AbortSignal
  /** For what its agent remembers. */
  readonly store: Store
}

export async function runWithoutSession(
  { agent, runId, sessionId, first, checkpoint }: Extract<ToHost, { type: 'run' }>,
  { platform, page, post, warn, signal, store }: RunSurroundings,
): Promise<void> {
  const { clock, hash, createModel } = platform
  const deltas = createDeltas(clock, (delta) => post({ type: 'delta', sessionId: runId, delta }))
  await runInMemory({
    agent: remoteAgent(agent, page, createModel, () => store.memory(clock.now)),
    sessionId,
    runId,
    first,
    clock,
    hash,
    signal,
    published(entries) {
      if (entries.some(({ type }) => type === 'message-add' || type === 'turn-end')) deltas.drop()
      post({ type: 'entries', sessionId: runId, entries })
    },
    emit: (partial) => deltas.show(partial),
    checkpoint: checkpoint && ((stage) => page.call<boolean>(checkpoint, [stage])),
    warn,
  })
}
