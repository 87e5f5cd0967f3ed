/** A tool: the many ways to write one, folded at the boundary into one shape. */
import type { AgentDefinition } from '../agents/agent.ts'
import { DogearError } from '../error.ts'
import type { Asking } from './asking.ts'
import type { JsonSchema } from './json-schema.ts'
import { toJsonSchema, type StandardSchema } from './schema.ts'
import { spellOut } from './spell-out.ts'

/** What may happen to a call whose outcome is unknown after a crash. */
export type Effect =
  /** Changes nothing: runs again. */
  | 'read'
  /** Accepts its idempotency key: runs again with the same key. */
  | 'idempotent'
  /** Has a `check`: the target is asked whether it happened. */
  | 'verify'
  /** Never repeats by itself: a person is asked. The default. */
  | 'once'
  /** Touches or reads the page: never repeats, and asks nobody. What it gives back may be a stranger's words, as with `openWorld`. */
  | 'page'

/** Whether a second try can do no harm. */
export function isRepeatable(effect: Effect): boolean {
  return effect === 'read' || effect === 'idempotent'
}

/** Whether what it gives back may be a stranger's words. */
export function isFromOutside({
  openWorld,
  effect,
}: {
  readonly openWorld?: boolean
  readonly effect?: Effect
}): boolean {
  return openWorld === true || effect === 'page'
}

export interface ToolContext extends Asking {
  /**
   * Aborts when the turn is stopped or the tool's time is up. A request that is ended by it may have arrived all the
   * same, so an AbortError leaves it unknown whether a tool that is not `read` took effect. A tool that knows returns
   * what came of it, or throws an error of its own.
   */
  readonly signal: AbortSignal
  /** The same for every attempt at this call: give it to your backend. */
  readonly idempotencyKey: string
  readonly callId: string
  readonly sessionId: string
  /** 1 for the first try at this call. */
  readonly attempt: number
  /** The signal, in the words of editors and other SDKs. */
  readonly cancellationToken: { readonly isCancellationRequested: boolean }
}

export interface UndoContext {
  /** What the call gave, as the model read it: data where it was data, and cut where it was very long. */
  readonly result: unknown
  /** The key of the call itself: your backend knows it by that. */
  readonly idempotencyKey: string
  /** Aborts when the tool's time is up, or this tab lets go of the session. */
  readonly signal: AbortSignal
}

/** How a card and a dialog name the tool: one phrase for all, or one for each tense. */
export type ToolLabel = string | { readonly ask: string; readonly doing: string; readonly done: string }

/** What may become of an old result in the model's sight. */
export type OutputRetention = 'keep_full' | 'keep_structured' | 'summarize_archive' | 'drop'
/** What may become of old arguments: `digest` shortens long texts in them. */
export type InputRetention = 'keep' | 'digest'

export interface Retention {
  readonly output?: OutputRetention
  readonly input?: InputRetention
}

export interface CachePolicy<Args = unknown> {
  /** How long a result may stand in for another call. Default: as long as its scope. */
  readonly ttlMs?: number
  /** `run`, the default: in the turn it was made in. `session`: in all later turns too. */
  readonly scope?: 'run' | 'session'
  /** What makes two calls the same. Default: their arguments. */
  readonly keyFn?: (args: Args) => string | Promise<string>
}

export interface RetryPolicy {
  /** Tries after the first. Default 0. */
  readonly maxRetries?: number
  /** Milliseconds before the first retry, doubled for each one after it. Default 250. */
  readonly backoffMs?: number
  /**
   * Whether an error is worth another try. Default: every error of a tool that is `read` or `idempotent`. A tool of
   * another effect is tried again only where this says so: say it only when the effect did not happen.
   */
  readonly shouldRetry?: (error: unknown, attempt: number) => boolean | Promise<boolean>
  /** After so many calls that failed in a row, also for their arguments, the tool is not called again in this turn. */
  readonly circuitBreakerThreshold?: number
}

interface ToolBase<Args, Result> {
  /** What the model calls it: letters, digits, `_` and `-`. */
  name: string
  /** What people read: "Book a room". Defaults to the name, spelled out. */
  label?: ToolLabel
  /** What the model reads. */
  description?: string
  /** Arguments as a Standard Schema (Zod, Valibot, ArkType) or a JSON Schema. */
  schema?: StandardSchema<Args> | JsonSchema
  /** Arguments as a JSON Schema. Beside `schema`, what the model is shown. */
  parameters?: JsonSchema
  /** The same as `schema`. */
  inputSchema?: StandardSchema<Args> | JsonSchema
  /** Ask a person before each call, or before those for which the function says so. */
  needsApproval?: boolean | ((args: Args) => boolean | Promise<boolean>)
  /** A line shown above the arguments in the approval sheet. */
  approvalPrompt?: string
  /** What a form that edits the arguments may begin with; it is shown, and never runs by itself. */
  approvalDefaults?: unknown
  effect?: Effect
  /** Colours the approval sheet and switches off Enter-to-approve. */
  destructive?: boolean
  /**
   * Reads or writes beyond this site, or gives back what others wrote, such as reviews or mail: its output is framed as
   * data, and from then on nothing dangerous runs by itself in that turn. Without it, and without `effect: 'page'`, the
   * model takes the output for yours.
   */
  openWorld?: boolean
  /** Comes from elsewhere than this page, such as a server: its calls ask by default. */
  unlisted?: boolean
  /** Needs a click of the person, as the clipboard or a file picker does: each call asks, and runs in the tab that was clicked. */
  gesture?: boolean
  /**
   * The fields of the arguments that "always allow" holds to; `url@` for the host of an address. Default: all
   * arguments, exactly as they are.
   */
  alwaysBy?: readonly string[]
  /** Milliseconds before the call's signal aborts and the model is told that its outcome is unknown. Default 60 000. */
  timeout?: number
  /** How many calls of one turn may succeed; those after it are skipped. */
  maxExecutionsPerRun?: number | null
  /** Whether an earlier result stands in for a call with the same arguments. A call that needs approval always runs. */
  cache?: boolean | CachePolicy<Args>
  /** What is done about a call that failed. */
  retry?: RetryPolicy
  /** What may be taken out of the model's sight when the context grows long. Default by the agent's `toolResponses`. */
  retention?: Retention
  /** A few words for the card's end, such as "7 found". */
  summary?: (args: Args, result: Result) => string | Promise<string>
  /** With `effect: 'verify'`: what became of the call with this key. Undefined, or no answer within `timeout`: nobody knows. */
  check?: (idempotencyKey: string) => Promise<{ done: boolean; result?: unknown } | undefined>
  /**
   * Takes back what a call has done, when a person rewinds the session to before it. Runs once a call at most, the
   * newest call first; `args` are those it ran with.
   */
  undo?: (args: Args, context: UndoContext) => unknown
  /** The agent that does the work in place of a function: what `agent.asTool()` sets. */
  agent?: AgentDefinition
  /** The agent that gets the word, or the name of one that led here: what `agent.asHandoff()` sets. */
  handoff?: AgentDefinition | string
}

type Func<Args, Result> = (args: Args, context: ToolContext) => Result | Promise<Result>

/** A tool as a developer writes it: `func`, or one of its other names. */
export type ToolOptions<Args = any, Result = any> = ToolBase<Args, Result> & {
  func?: Func<Args, Result>
  invoke?: Func<Args, Result>
  call?: Func<Args, Result>
  _call?: Func<Args, Result>
  run?: Func<Args, Result>
  execute?: Func<Args, Result>
  handler?: (context: ToolContext, args: Args) => Result | Promise<Result>
}

/** A tool as everything inside knows it. */
export interface Tool {
  readonly name: string
  readonly label: ToolLabel
  readonly description: string
  readonly parameters: JsonSchema
  /** Validates where the schema lives; absent when `parameters` is all there is. */
  readonly validate?: (args: unknown) => Promise<Validated> | Validated
  readonly needsApproval: boolean | ((args: unknown) => boolean | Promise<boolean>)
  readonly approvalPrompt?: string
  readonly approvalDefaults?: unknown
  readonly effect: Effect
  readonly destructive: boolean
  readonly openWorld: boolean
  readonly unlisted?: boolean
  readonly gesture?: boolean
  readonly alwaysBy?: readonly string[]
  readonly timeout: number
  readonly maxExecutionsPerRun?: number
  readonly cache?: CachePolicy
  readonly retry?: RetryPolicy
  readonly retention: Retention
  readonly func: (args: unknown, context: ToolContext) => unknown
  readonly summary?: (args: unknown, result: unknown) => string | Promise<string>
  readonly check?: ToolBase<unknown, unknown>['check']
  readonly undo?: (args: unknown, context: UndoContext) => unknown
  readonly agent?: AgentDefinition
  readonly handoff?: AgentDefinition | string
}

export type Validated =
  { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly issues: readonly string[] }

/** Checks a tool once, where it is written, so that a mistake is read by its developer and not by a visitor. */
export function createTool<Args = any, Result = any>(options: ToolOptions<Args, Result>): Tool {
  if (typeof options !== 'object' || options === null) {
    throw new DogearError('tool-invalid', 'A tool is an object: { name, description, parameters, func }.')
  }
  if (isTool(options)) return options
  const { name } = options
  if (typeof name !== 'string' || !/^[a-zA-Z0-9_-]{1,64}$/.test(name)) {
    throw new DogearError(
      'tool-invalid',
      `A tool's name must be 1 to 64 letters, digits, "_" or "-"; got ${JSON.stringify(name)}.`,
    )
  }
  const func = runOf(options) ?? (options.agent || options.handoff ? noAgent : undefined)
  if (!func) {
    throw new DogearError('tool-invalid', `Tool "${name}" has nothing to run. Give it func: (args, context) => …`)
  }
  if (options.effect === 'verify' && !options.check) {
    throw new DogearError('tool-invalid', `Tool "${name}" has effect "verify" but no check(idempotencyKey).`)
  }
  const schema = options.schema ?? options.inputSchema
  return {
    name,
    label: options.label ?? spellOut(name),
    description: options.description ?? '',
    parameters: toJsonSchema(name, schema, options.parameters),
    validate: validatorOf(schema),
    needsApproval: (options.needsApproval as Tool['needsApproval']) ?? false,
    approvalPrompt: options.approvalPrompt,
    approvalDefaults: options.approvalDefaults,
    effect: options.effect ?? 'once',
    destructive: options.destructive ?? false,
    openWorld: options.openWorld ?? false,
    unlisted: options.unlisted,
    gesture: options.gesture,
    alwaysBy: options.alwaysBy,
    timeout: options.timeout ?? 60_000,
    maxExecutionsPerRun: options.maxExecutionsPerRun ?? undefined,
    cache: options.cache === true ? {} : options.cache || undefined,
    retry: options.retry,
    retention: options.retention ?? {},
    func: func as Tool['func'],
    summary: options.summary as Tool['summary'],
    check: options.check,
    undo: options.undo as Tool['undo'],
    agent: options.agent,
    handoff: options.handoff,
    [folded]: options.timeout !== undefined,
  } as Tool
}

/** Marks a tool, and tells whether its timeout is its own. */
const folded = Symbol('dogear-tool')

function isTool(value: object): value is Tool {
  return folded in value
}

/** Only for a handoff by a name that no agent of this conversation has. */
function noAgent(): never {
  throw new DogearError('agent-invalid', 'No agent of that name takes part in this conversation.')
}

/** The tool with the time its agent gives it, unless it has a time of its own. */
export function withTimeout(tool: Tool, given: number | ((name: string) => number) | undefined): Tool {
  if (given === undefined || (tool as { [folded]?: boolean })[folded]) return tool
  return { ...tool, timeout: typeof given === 'function' ? given(tool.name) : given }
}

function runOf<Args, Result>(options: ToolOptions<Args, Result>): Func<Args, Result> | undefined {
  const { handler } = options
  if (handler) return (args, context) => handler(context, args)
  const method = methods.find((key) => typeof options[key] === 'function')
  // Bound: a class instance's method may need its `this`.
  return method && (options[method] as Func<Args, Result>).bind(options)
}

const methods = ['func', 'invoke', 'call', '_call', 'run', 'execute'] as const

export function validatorOf<Args>(schema: StandardSchema<Args> | JsonSchema | undefined): Tool['validate'] {
  if (!schema || !('~standard' in schema)) return undefined
  const standard = (schema as StandardSchema<Args>)['~standard']
  return async (args) => {
    const result = await standard.validate(args)
    if (!result.issues) return { ok: true, value: result.value }
    return { ok: false, issues: result.issues.map(issueText) }
  }
}

function issueText(issue: { message: string; path?: readonly unknown[] }): string {
  const path = (issue.path ?? []).map((key) =>
    String(typeof key === 'object' && key !== null ? (key as { key: unknown }).key : key),
  )
  return path.length ? `${path.join('.')}: ${issue.message}` : issue.message
}

export function labelText(label: ToolLabel | undefined, tense: 'ask' | 'doing' | 'done'): string {
  if (label === undefined) return ''
  return typeof label === 'string' ? label : label[tense]
}
