/** What tabs tell each other: hints to look at the store, and what streams. Any script of the origin may say the same. */
import type { Partial, RunTool, Sought, Waiting } from '@dogear/core'
import type { PartialDelta } from '../protocol.ts'

export type Told =
  /** Look at the journal. */
  | { readonly type: 'appended' }
  | { readonly type: 'deleted' }
  /** Look at the inbox. */
  | { readonly type: 'wake' }
  /** Somebody wants to know what streams. */
  | { readonly type: 'joined' }
  | { readonly type: 'delta'; readonly delta: PartialDelta }
  | { readonly type: 'partial'; readonly partial: Partial | null; readonly waiting: Waiting | null }
  | { readonly type: 'waiting'; readonly waiting: Waiting | null }
  /** A person has sent words in tab `host`, which would drive from now on. */
  | { readonly type: 'claim'; readonly host: string }
  /** The owner rests: tab `host` may take the lock. */
  | { readonly type: 'yours'; readonly host: string }
  /** Is there an owner? It says that it is. */
  | { readonly type: 'ping' }
  | { readonly type: 'pong' }
  /** Does any tab show this session? Each that does says so, also one that failed. */
  | { readonly type: 'who' }
  | { readonly type: 'here' }
  /** Which tab has this tool of the agent at work? */
  | ({ readonly type: 'seek' } & Sought)
  /** Tab `host` has it. */
  | ({ readonly type: 'found'; readonly host: string; readonly tool: ToolFacts } & Sought)
  /** What only that tab's page can tell of its tool. Never a call: that is in the journal. */
  | ({ readonly type: 'ask'; readonly host: string; readonly ref: string; readonly value?: unknown } & Sought & {
        readonly part: Part
      })
  | { readonly type: 'told'; readonly ref: string; readonly value?: unknown; readonly problem?: string }

/** A tool without its functions: the parts in `asks` are asked of its tab. */
export type ToolFacts = Pick<RunTool, 'name' | 'label' | 'parameters' | 'effect' | 'timeout'> & {
  readonly asks: readonly Part[]
}

export const parts = ['validate', 'needsApproval', 'check'] as const
export type Part = (typeof parts)[number]

/** Undefined for what this script does not know: a newer one may say more, and a hostile one anything. */
export function readTold(message: unknown): Told | undefined {
  if (!isRecord(message)) return undefined
  const isRight = shapes[message.type as Told['type']]
  return typeof message.type === 'string' && Object.hasOwn(shapes, message.type) && isRight(message)
    ? (message as unknown as Told)
    : undefined
}

type Fields = Readonly<Record<string, unknown>>

const bare = () => true
const named = ({ host }: Fields) => typeof host === 'string'
const sought = ({ path, agent = '', name }: Fields) =>
  Array.isArray(path) && [...path, agent, name].every((text) => typeof text === 'string')
const isPart = (value: unknown) => parts.includes(value as Part)

const shapes: Readonly<Record<Told['type'], (message: Fields) => boolean>> = {
  appended: bare,
  deleted: bare,
  wake: bare,
  joined: bare,
  ping: bare,
  pong: bare,
  who: bare,
  here: bare,
  claim: named,
  yours: named,
  seek: sought,
  found: (message) =>
    sought(message) &&
    named(message) &&
    isRecord(message.tool) &&
    message.tool.name === message.name &&
    isRecord(message.tool.parameters) &&
    typeof message.tool.effect === 'string' &&
    typeof message.tool.timeout === 'number' &&
    Array.isArray(message.tool.asks) &&
    message.tool.asks.every(isPart),
  ask: (message) => sought(message) && named(message) && typeof message.ref === 'string' && isPart(message.part),
  told: ({ ref }) => typeof ref === 'string',
  delta: ({ delta }) => isRecord(delta) && isText(delta) && isLength(delta.textAt) && isLength(delta.reasoningAt),
  partial: ({ partial, waiting }) => isWaiting(waiting) && (partial === null || (isRecord(partial) && isText(partial))),
  waiting: ({ waiting }) => isWaiting(waiting),
}

function isText({ stepId, text, reasoning, calls, resumedAt = [] }: Fields): boolean {
  return (
    [stepId, text, reasoning].every((value) => typeof value === 'string') &&
    Array.isArray(calls) &&
    calls.every((call) => isRecord(call) && typeof call.name === 'string' && typeof call.args === 'string') &&
    Array.isArray(resumedAt) &&
    resumedAt.every(isLength)
  )
}

function isLength(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

const reasons: Readonly<Record<Waiting, true>> = { network: true, token: true, space: true, page: true }

function isWaiting(value: unknown): boolean {
  return value === null || (typeof value === 'string' && Object.hasOwn(reasons, value))
}

function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null
}
