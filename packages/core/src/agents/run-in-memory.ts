/** A run without a session: a journal in memory, begun with the entries it is given and run by the same code as every turn. */
import { DogearError } from '../error.ts'
import type { Clock } from '../ports/clock.ts'
import type { Hash } from '../ports/hash.ts'
import { emptyHead, foldOf, type Fold } from '../session/fold.ts'
import { openJournal, type Journal, type JournalOptions, type NewEntry } from '../session/journal.ts'
import type { Partial } from '../session/partial.ts'
import { createDeadlines } from '../turn/deadlines.ts'
import type { Run, RunAgent } from '../turn/run.ts'
import { runTurn } from '../turn/turn.ts'
import { activeAgent } from './active-agent.ts'

export interface MemoryRun {
  readonly agent: RunAgent
  /** Names its calls to tools: the same for all that go on from one state. */
  readonly sessionId: string
  /** Names its calls to models; `sessionId` where nobody else goes on from its state. */
  readonly runId?: string
  readonly first: readonly NewEntry[]
  readonly clock: Clock
  readonly hash: Hash
  readonly signal: AbortSignal
  readonly published?: JournalOptions['published']
  /** Where `published` folds to: two folds of one journal would cost twice. */
  readonly fold?: Fold
  /** The answer as it streams. */
  readonly emit?: (partial: Partial | null) => void
  readonly checkpoint?: Run['checkpoint']
  readonly warn?: (message: string) => void
}

/** Ends when the turn has ended, waits for a person, or is left at a checkpoint. */
export async function runInMemory(options: MemoryRun): Promise<Journal> {
  const { agent, sessionId, runId, clock, hash, signal, published, checkpoint, emit, warn = () => {} } = options
  const { fold = foldOf(emptyHead(sessionId, agent.name)) } = options
  const journal = openJournal({ fold, clock, epoch: 1, published, isFoldedThere: options.fold !== undefined })
  await journal.append(options.first)
  let shown: Partial | null = null
  let waits = 0
  const run: Run = {
    journal,
    runId,
    agent: () => activeAgent(agent, journal.fold.head),
    clock,
    startedAt: clock.elapsed(),
    hash,
    signal,
    recovering: false,
    ready: new Map(),
    deadlines: createDeadlines(clock),
    settling: new Set(),
    emit(partial) {
      shown = partial
      emit?.(partial)
    },
    shown: () => shown,
    stopping: () => ({ commandId: sessionId, take: [] }),
    loadPartial: async () => undefined,
    loadEvidence: async () => undefined,
    saveEvidence: async () => {},
    savePartial: async () => {},
    alone: (work) => work(),
    // Whoever calls a function waits for its end: it fails in the end, where a session goes on when it can.
    async wait(reason) {
      if (reason === 'page') throw noPage
      if (reason !== 'network') throw refused
      if ((waits += 1) > networkTries) throw unreachable
      await clock.sleep(5_000, signal)
      signal.throwIfAborted()
    },
    checkpoint,
    warn,
  }
  await runTurn(run)
  return journal
}

const networkTries = 3
const unreachable = new DogearError(
  'network',
  'The model cannot be reached. Look at the endpoint and the network, then call again.',
)
const refused = new DogearError('token-refused', 'The server refused the token. Give the agent one that is valid.')
const noPage = new DogearError('tool-unknown', 'A tool that was approved is no longer among the tools of this agent.')
