/** A session whose every signal is set by hand: for tests of widgets and for the gallery. */

import { signal, type Signal } from '@preact/signals'
import {
  createTool,
  defineAgent,
  type Message,
  type MessageMeta,
  type Partial as PartialAnswer,
  type SmartAgentOptions,
} from '@dogear/core'
import type { Session, Turn } from '@dogear/worker'

type Writable = {
  -readonly [Key in keyof Session as Session[Key] extends { peek(): unknown } ? Key : never]: Session[Key] extends {
    peek(): infer Value
  }
    ? Signal<Value>
    : never
}

export type ScriptedSession = Omit<Session, keyof Writable> &
  Writable & {
    /** The commands given so far, oldest first. */
    readonly commands: { readonly type: string; readonly [key: string]: unknown }[]
  }

export type SessionState = { [Key in keyof Writable]?: Writable[Key]['value'] }

export function scriptedSession(state: SessionState = {}, agent: SmartAgentOptions = tripAgent): ScriptedSession {
  const commands: ScriptedSession['commands'] = []
  const command = (type: string, values: object = {}): Turn => {
    commands.push({ type, ...values })
    const rest = Promise.resolve({
      terminalReason: 'completed',
      text: '',
      requests: [],
      usage: { totals: {} },
      permissionDenials: [],
      isError: false,
      stopReason: null,
      modelUsage: {},
      steps: 0,
      durationMs: 0,
    } as const)
    return { id: `turn-${commands.length}`, saved: Promise.resolve(), then: rest.then.bind(rest) as Turn['then'] }
  }
  return {
    id: 'trip-42',
    agent: defineAgent(agent),
    commands,
    status: signal(state.status ?? 'idle'),
    waiting: signal(state.waiting ?? null),
    messages: signal(state.messages ?? []),
    pending: signal(state.pending ?? []),
    partial: signal(state.partial ?? null),
    calls: signal(state.calls ?? []),
    plan: signal(state.plan ?? null),
    requests: signal(state.requests ?? []),
    queued: signal(state.queued ?? []),
    usage: signal(state.usage ?? { totals: {} }),
    mode: signal(state.mode ?? 'default'),
    rules: signal(state.rules ?? []),
    connection: signal(state.connection ?? { type: 'online' }),
    kept: signal(state.kept ?? true),
    persisted: signal<boolean | null>(null),
    settings: signal({}),
    title: signal(state.title),
    lastEnd: signal(state.lastEnd ?? null),
    unsaved: signal(state.unsaved ?? []),
    answeredElsewhere: signal(state.answeredElsewhere ?? null),
    hasOlder: signal(state.hasOlder ?? false),
    branches: signal(state.branches ?? {}),
    loadOlder: async () => void command('loadOlder'),
    send: (content, options) => command('send', { content, ...options }),
    editQueued: (commandId, change) => command('editQueued', { commandId, ...change }),
    unqueue: async (commandId) => void command('unqueue', { commandId }),
    stop: async () => void command('stop'),
    stopTask: async (task) => void command('stop-task', { task }),
    resume: () => void command('resume'),
    retry: () => command('retry'),
    compact: () => command('compact'),
    add: (message) => command('add', { message }),
    goto: (messageId, options) => command('goto', { messageId, ...options }),
    edit: (messageId, content) => command('edit', { messageId, content }),
    regenerate: (messageId) => command('regenerate', { messageId }),
    rewind: async (messageId, options) => {
      command('rewind', { messageId, ...options })
      return { undone: [], notUndone: [], unknown: [] }
    },
    fork: async () => {
      throw new Error('A scripted session cannot be forked.')
    },
    resolve: (requestId, resolution) => command('resolve', { requestId, resolution }),
    approve: (requestId, options) => command('approve', { requestId, ...options }),
    reject: (requestId, comment) => command('reject', { requestId, comment }),
    resolveAll: (requestIds, resolution) => command('resolveAll', { requestIds, resolution }),
    answer: (requestId, answers, notes) => command('answer', { requestId, answers, notes }),
    editPlan: (edit) => command('editPlan', { edit }),
    rename: async (title) => void command('rename', { title }),
    setMode: async (mode) => void command('setMode', { mode }),
    revokeRule: async (rule) => void command('revokeRule', { rule }),
    set: async (settings) => void command('set', { settings }),
    listen: () => () => {},
    snapshot: async () => {
      throw new Error('A scripted session keeps no snapshots.')
    },
    snapshots: async () => [],
    deleteSnapshot: async () => {},
    close: () => void command('close'),
  }
}

export const tripAgent: SmartAgentOptions = {
  name: 'concierge',
  tools: [
    createTool({
      name: 'search_hotels',
      label: { ask: 'Search hotels', doing: 'Searching hotels', done: 'Searched hotels' },
      func: () => [],
    }),
    createTool({ name: 'book_hotel', label: 'Book a room', needsApproval: true, func: () => 'booked' }),
  ],
}

export function userSays(id: string, content: string): Message {
  return { id, role: 'user', content, meta: { status: 'complete', createdAt: 0 } }
}

export function agentSays(id: string, content: string, meta: Partial<MessageMeta> = {}): Message {
  return { id, role: 'assistant', content, meta: { status: 'complete', createdAt: 0, ...meta } }
}

export interface ScriptedCall {
  readonly name: string
  readonly args?: unknown
  readonly result?: string
  readonly status?: MessageMeta['status']
  readonly summary?: string
  readonly durationMs?: number
  readonly unknown?: boolean
}

/** A step that calls tools: the message that asks for them, and the results that are there. */
export function agentCalls(stepId: string, text: string, calls: readonly ScriptedCall[]): Message[] {
  const asking: Message = {
    ...agentSays(`${stepId}.m`, text),
    tool_calls: calls.map(({ name, args = {} }, index) => ({
      id: `${stepId}.${index}`,
      type: 'function',
      function: { name, arguments: JSON.stringify(args) },
    })),
  }
  const results = calls.flatMap(({ name, args = {}, result, status = 'complete', ...outcome }, index): Message[] => {
    if (result === undefined) return []
    const id = `${stepId}.${index}`
    const meta: MessageMeta = { status, createdAt: 0, tool: { name, args, ...outcome } }
    return [{ id: `${id}.r`, role: 'tool', tool_call_id: id, content: result, meta }]
  })
  return [asking, ...results]
}

export function streaming(stepId: string, text: string, more: Partial<PartialAnswer> = {}): PartialAnswer {
  return { stepId, text, reasoning: '', refusal: '', calls: [], ...more }
}
