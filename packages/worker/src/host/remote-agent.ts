/** An agent whose functions are on the page: what the loop calls becomes a message, and back. */
import {
  DogearError,
  fromErrorData,
  linkAgents,
  type Authority,
  type CallReply,
  type MemoryStore,
  type Model,
  type ModelEvent,
  type RunAgent,
  type UnlinkedAgent,
  type UnlinkedTool,
} from '@dogear/core'
import type { AgentSpec, Handle, ToHost, ToPage } from '../protocol.ts'

export interface PageCalls {
  /** With an authority, it is begun only while that is fresh. */
  call<T>(handle: Handle, args: readonly unknown[], signal?: AbortSignal, authority?: Authority): Promise<T>
  iterate<T>(handle: Handle, args: readonly unknown[], signal: AbortSignal): AsyncIterable<T>
  receive(message: Extract<ToHost, { type: 'call-confirm' | 'call-yield' | 'call-return' | 'call-throw' }>): void
}

export function createPageCalls(post: (message: ToPage) => void): PageCalls {
  let lastId = 0
  const open = new Map<
    number,
    {
      item?: (value: unknown) => void
      end: (value: unknown) => void
      fail: (error: unknown) => void
      confirm: () => Promise<void>
    }
  >()

  function begin(
    handle: Handle,
    args: readonly unknown[],
    signal: AbortSignal | undefined,
    { item, authority }: { item?: (value: unknown) => void; authority?: Authority } = {},
  ) {
    const id = (lastId += 1)
    const abort = () => post({ type: 'call-abort', id })
    const ask = (proven?: number) => post({ type: 'call', id, handle: handle.handle, args, proven })
    const result = new Promise<unknown>((end, fail) => {
      const confirm = async () => {
        const proven = await authority?.confirm()
        // Given up meanwhile: the page would begin it. Nor is it told as failed, as whoever owns it next may run it.
        if (proven === undefined || signal?.aborted) open.delete(id)
        else ask(proven)
      }
      open.set(id, { item, end, fail, confirm })
    })
    ask(authority?.provenAt())
    signal?.addEventListener('abort', abort, { once: true })
    return result.finally(() => {
      open.delete(id)
      signal?.removeEventListener('abort', abort)
    })
  }

  return {
    call: <T>(handle: Handle, args: readonly unknown[], signal?: AbortSignal, authority?: Authority) =>
      begin(handle, args, signal, { authority }) as Promise<T>,
    async *iterate<T>(handle: Handle, args: readonly unknown[], signal: AbortSignal) {
      const items: T[] = []
      let wake = () => {}
      let ended = false
      const stop = () => wake()
      signal.addEventListener('abort', stop, { once: true })
      const item = (value: unknown) => {
        items.push(value as T)
        wake()
      }
      const end = begin(handle, args, signal, { item }).finally(() => {
        ended = true
        signal.removeEventListener('abort', stop)
        wake()
      })
      // Awaited below; without this a failure before the last item is read would be unhandled.
      end.catch(() => {})
      for (;;) {
        while (items.length) yield items.shift() as T
        // A model of the page's own may not listen to its signal: a stop must not wait for it.
        if (ended || signal.aborted) break
        await new Promise<void>((resolve) => (wake = resolve))
      }
      signal.throwIfAborted()
      await end
    },
    receive(message) {
      const call = open.get(message.id)
      if (message.type === 'call-confirm') void call?.confirm()
      if (message.type === 'call-yield') call?.item?.(message.value)
      if (message.type === 'call-return') call?.end(message.value)
      if (message.type === 'call-throw') call?.fail(fromErrorData(message.error))
    },
  }
}

export interface ModelMaker {
  (options: {
    endpoint: string
    token: () => Promise<string | undefined>
    headers: () => Promise<Record<string, string>>
  }): Model
}

/** `memory` is this browser's: for an agent that remembers its user and has no store of its own. */
export function remoteAgent(
  spec: AgentSpec,
  page: PageCalls,
  createModel: ModelMaker,
  memory: () => MemoryStore,
): RunAgent {
  const { others = [], ...own } = spec
  const unlinked = (each: AgentSpec) => {
    const agent = unlinkedAgent(each, page, createModel)
    return each.profile.memory.scope === 'user' ? { ...agent, memoryStore: agent.memoryStore ?? memory() } : agent
  }
  return linkAgents([unlinked(own), ...others.map(unlinked)])
}

function unlinkedAgent(spec: AgentSpec, page: PageCalls, createModel: ModelMaker): UnlinkedAgent {
  const { instructions, tools, model, stopModel: _stop, hooks = [], canUseTool, onElicitation, ...others } = spec
  const { token: _token, headers: _headers, ...rest } = others
  return {
    ...unpack<Omit<RunAgent, 'instructions' | 'model' | 'modelName' | 'tools'>>(rest, page),
    hooks: hooks.map((hook) => ({
      ...hook,
      run: (input, id, { signal }) => page.call(hook.run, [input, id], signal),
    })),
    canUseTool:
      canUseTool && ((name, input, { signal, ...about }) => page.call(canUseTool, [name, input, about], signal)),
    onElicitation: onElicitation && ((request, { signal }) => page.call(onElicitation, [request], signal)),
    instructions: async () => (isHandle(instructions) ? page.call<string>(instructions, []) : (instructions ?? '')),
    model: modelOf(spec, page, createModel),
    modelName: typeof model === 'string' ? model : undefined,
    tools: tools.map(({ func, undo, ...tool }) => ({
      ...unpack<Omit<UnlinkedTool, 'call'>>(tool, page),
      undo: undo && ((args, { signal, ...context }) => page.call(undo, [args, context], signal)),
      call: (args, { signal, authority, ...context }) => page.call<CallReply>(func, [args, context], signal, authority),
    })),
  }
}

/** Every handle becomes a function again: it asks the page. */
function unpack<T>(value: unknown, page: PageCalls): T {
  if (isHandle(value)) return ((...args: unknown[]) => page.call(value, args)) as T
  if (Array.isArray(value)) return value.map((item) => unpack(item, page)) as T
  if (typeof value !== 'object' || value === null) return value as T
  const pairs = Object.entries(value).map(([key, item]) => [key, key === 'parameters' ? item : unpack(item, page)])
  return Object.fromEntries(pairs) as T
}

function isHandle(value: unknown): value is Handle {
  return typeof value === 'object' && value !== null && typeof (value as Handle).handle === 'string'
}

function modelOf(spec: AgentSpec, page: PageCalls, createModel: ModelMaker): Model {
  const { model, stopModel, endpoint, token, headers } = spec
  if (typeof model === 'object') {
    return {
      stream: (request, { signal, ...options }) => page.iterate<ModelEvent>(model, [request, options], signal),
      stop: stopModel && ((key) => page.call<void>(stopModel, [key])),
    }
  }
  if (!endpoint) {
    throw new DogearError(
      'endpoint-missing',
      `Agent "${spec.name}" has no endpoint. Give it endpoint: '/api/agent', the address of your proxy (npx @dogear/proxy starts one).`,
    )
  }
  return createModel({
    endpoint,
    token: async () => (isHandle(token) ? page.call<string>(token, []) : token),
    headers: async () => (headers ? page.call<Record<string, string>>(headers, []) : {}),
  })
}
