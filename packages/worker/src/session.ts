/** A session as a page holds it: commands out, signals in. */
import type {
  AddedMessage,
  AgentDefinition,
  Answers,
  Choices,
  ContentPart,
  Entry,
  ErrorData,
  Message,
  OpenCall,
  Partial,
  PermissionDenial,
  PermissionMode,
  Plan,
  PlanEdit,
  Queued,
  Request,
  Resolution,
  Rewound,
  RuleSet,
  Snapshot,
  SnapshotRecord,
  Status,
  TerminalReason,
  TurnOrigin,
  Usage,
  Waiting,
  When,
} from '@dogear/core'
import type { ReadonlySignal } from '@preact/signals-core'

/** A call that is given what it cannot take, an id that is undefined say, rejects with `input-invalid` and what to give. */
export interface Session {
  readonly id: string
  readonly agent: AgentDefinition

  readonly status: ReadonlySignal<Status>
  /** Why a busy turn is held up. */
  readonly waiting: ReadonlySignal<Waiting | null>
  /** Committed turns, as far as they are loaded. */
  readonly messages: ReadonlySignal<readonly Message[]>
  /** The turn in flight. */
  readonly pending: ReadonlySignal<readonly Message[]>
  /** The answer that is streaming. */
  readonly partial: ReadonlySignal<Partial | null>
  /** The calls of the step in flight, also those that wait or run. */
  readonly calls: ReadonlySignal<readonly OpenCall[]>
  readonly plan: ReadonlySignal<Plan | null>
  /** What waits for a person, in the order it was raised. */
  readonly requests: ReadonlySignal<readonly Request[]>
  /** Words that wait for their turn, in the order they will be sent. */
  readonly queued: ReadonlySignal<readonly Queued[]>
  readonly usage: ReadonlySignal<Usage>
  readonly mode: ReadonlySignal<PermissionMode>
  /** What was allowed, or forbidden, for this session alone. */
  readonly rules: ReadonlySignal<readonly RuleSet[]>
  readonly connection: ReadonlySignal<Connection>
  /** False when the browser gives no storage: the session lives and dies with the page. */
  readonly kept: ReadonlySignal<boolean>
  /**
   * Whether the browser has promised not to delete this origin's storage when it wants room. It is asked once the first
   * words of a person are saved; null while it has not said, and where it cannot.
   */
  readonly persisted: ReadonlySignal<boolean | null>
  readonly title: ReadonlySignal<string | undefined>
  /** What `set` has set for this session: mode, metadata … and the model, which is the one it began with until then. */
  readonly settings: ReadonlySignal<Choices>
  /** How the last turn ended; `error` set when it failed. */
  readonly lastEnd: ReadonlySignal<{
    readonly turnId: string
    readonly terminalReason: TerminalReason
    readonly error?: ErrorData
    readonly output?: unknown
    readonly outputError?: string
    readonly denials?: readonly PermissionDenial[]
  } | null>
  /** Words the page sent that are not yet journalled; shown at once, and gone from here when they are in `pending`. */
  readonly unsaved: ReadonlySignal<readonly { readonly commandId: string; readonly text: string }[]>
  /** Requests answered by somebody else than this tab, so that a dialog may say so. */
  readonly answeredElsewhere: ReadonlySignal<{ readonly requestId: string; readonly by?: string } | null>
  readonly hasOlder: ReadonlySignal<boolean>
  /** The messages of the path that have siblings, by id: enough for a "‹ 2 / 3 ›" that calls `goto`. */
  readonly branches: ReadonlySignal<Branches>
  loadOlder(): Promise<void>

  /**
   * Begins a turn; while one is open, `when` says how long the words wait. `later`, the default: until it has ended.
   * `next`: they join it at its next step, after the results of its tools. `now`: they stop it.
   */
  send(content: string | readonly ContentPart[], options?: { when?: When }): Turn
  /**
   * Puts a message into the session without asking the model: it is shown, kept, and sent with the next turn. Only when
   * idle. `goto(null)` first, and what was said before is left out of it, as a branch.
   */
  add(message: AddedMessage): Turn
  /** Changes words that wait: what they say, how urgent they are, or both. `refused` when they were sent already. */
  editQueued(commandId: string, change: { content?: string | readonly ContentPart[]; when?: When }): Turn
  /** Takes back words that wait. */
  unqueue(commandId: string): Promise<void>
  /** Ends the turn. What is queued stays queued, and waits for the next `send`, or for `editQueued` with `now`. */
  stop(): Promise<void>
  /**
   * Ends what a helper does for a call, by the call's id, or skips a call that waits for a page with its tool, and the
   * agent goes on with what it has. Where neither is so, nothing happens.
   */
  stopTask(task: string): Promise<void>
  /** Tries at once to go on with a turn that is held up: after signing in again, say. */
  resume(): void
  /** Asks again after a failed or stopped turn, without a new message; with another `model` for this turn alone. */
  retry(options?: { model?: string }): Turn
  /** Shortens what the model is shown, now instead of when it grows too long. Only when idle; nothing is deleted. */
  compact(): Turn
  /**
   * Shows another branch: that message, and from there on the way that was gone last. With `exact` it stops at the
   * message, and what is sent next begins a branch there. `null`: before the first message. Only when idle. Plan,
   * summary, notes and the agent that has the word are those of the branch; what tools have done is not undone.
   */
  goto(messageId: string | null, options?: { exact?: boolean }): Turn
  /**
   * Asks again with other words in place of a user message; the old ones stay, as a branch beside them. Only when
   * idle. Stopped or failed before anything was said, it goes back to the branch before; `retry()` tries once more.
   */
  edit(messageId: string, content: string | readonly ContentPart[]): Turn
  /** Asks for another answer, beside the one there is; by default to the last words. Else like `edit`. */
  regenerate(messageId?: string): Turn
  /**
   * Goes back to a message, as `goto` with `exact`, and runs the `undo` of the tools whose calls are left behind, the
   * newest first, each once at most. Says what was undone and what was not; `dryRun` only says it. Only when idle.
   */
  rewind(messageId: string | null, options?: { dryRun?: boolean }): Promise<Rewound & { readonly refused?: string }>
  /**
   * A new session that holds this one up to and including a message, by default all of it, under ids of its own.
   * Nothing that waits comes along. Only when idle. Close both when you are done. `id`: of the new one, if it is to be
   * yours; rejects with `session-exists` when another session has it.
   */
  fork(options?: { at?: string; title?: string; id?: string }): Promise<Session>
  resolve(requestId: string, resolution: Resolution): Turn
  /** `always`: calls like it, by the rule that `request.always` shows, are not asked about again. */
  approve(requestId: string, options?: { args?: unknown; always?: 'session' | 'user' }): Turn
  reject(requestId: string, comment?: string): Turn
  /** One answer to several requests, taken together; those that were answered meanwhile are left out. */
  resolveAll(requestIds: readonly string[], resolution: Resolution): Turn
  answer(requestId: string, answers: Answers, notes?: string): Turn
  /** A person's own change of the plan; the steps it gives without an owner become theirs. */
  editPlan(edit: PlanEdit): Turn
  /** A title of 1 to 200 characters; no other replaces it. Rejects what is none. */
  rename(title: string): Promise<void>
  /** How much runs without asking, from the next call on. Rejects a mode the agent does not allow. */
  setMode(mode: PermissionMode): Promise<void>
  /** Takes back a rule that "always" made in this session; those of the user are in `agent.rules`. */
  revokeRule(rule: string): Promise<void>
  /** Chooses another model, system prompt … for the steps to come. Kept with the session. Rejects what cannot be set. */
  set(choices: Choices): Promise<void>
  /** Tells each entry once it is folded in, in order, from now on. Returns what ends it. */
  listen(listener: (entry: Entry) => void): () => void
  /** Keeps a named snapshot, and gives it. The same tag is overwritten. */
  snapshot(options: { tag: string }): Promise<Snapshot>
  /** The named snapshots of this session; `agent.sessions.import` opens one. */
  snapshots(): Promise<NamedSnapshot[]>
  /** None of this tag there: no error. */
  deleteSnapshot(tag: string): Promise<void>
  /** Lets go of the session in this tab; nothing is deleted. A turn that runs goes on without you: to end it, `stop()` first. */
  close(): void
}

/** A snapshot that is kept on this device, by its name. */
export interface NamedSnapshot extends SnapshotRecord {
  readonly sessionId: string
}

/** Of a message, by its id: all that stand in its place, itself among them, the oldest first. */
export type Branches = Readonly<Record<string, { readonly ids: readonly string[]; readonly index: number }>>

/** What this tab knows about its worker and the network. `failed` comes with the error that says why. */
export type Connection =
  { readonly type: 'connecting' | 'online' | 'offline' } | { readonly type: 'failed'; readonly error: ErrorData }

/** Awaiting it waits for rest: the turn ended, or waits for a person. */
export interface Turn extends PromiseLike<TurnResult> {
  /** The command's id, which is the turn's id for a `send`. */
  readonly id: string
  /** Resolves once the command is journalled: nothing can lose it now. */
  readonly saved: Promise<void>
}

export interface TurnResult {
  readonly terminalReason: TerminalReason | 'paused'
  readonly text: string
  readonly requests: readonly Request[]
  readonly usage: Usage
  readonly error?: ErrorData
  /** The structured answer, when the agent has an output schema. */
  readonly output?: unknown
  /** Why there is none. */
  readonly outputError?: string
  /** The calls of the turn that were not allowed, by a person, a rule or a mode. */
  readonly permissionDenials: readonly PermissionDenial[]
  /** A failure or a limit ended it, or its structured answer does not fit. Stopping is not failing. */
  readonly isError: boolean
  /** Why the model stopped: `end_turn`, `tool_use`, `max_tokens`, `refusal`; null where it said nothing. */
  readonly stopReason: string | null
  /** By model, of the whole session. */
  readonly modelUsage: Usage['totals']
  /** What the turn cost, its helpers included, by the `costEstimator`. */
  readonly costUsd?: number
  /** How often the model answered, as far as the messages are loaded. */
  readonly steps: number
  /** From its first message to its last. */
  readonly durationMs: number
  /** Who asked; known of the last turn, and of one that waits. */
  readonly origin?: TurnOrigin
  /** Why the session did not take the command: answered already, or invalid. */
  readonly refused?: string
}
