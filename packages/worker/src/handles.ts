/** Handles, the page's end: an agent's functions stay here and are called by name. */
import {
  agentsOf,
  callTool,
  DogearError,
  toErrorData,
  type AgentDefinition,
  type CallContext,
  type CallReply,
  type CanUseToolOptions,
  type ElicitationRequest,
  type Model,
  type Tool,
  type UndoContext,
} from '@dogear/core'
import { begunCalls } from './fresh.ts'
import type { AgentSpec, Handle, Packed, ToHost, ToolSpec, ToPage } from './protocol.ts'

export interface Handles {
  /** The agent as data; its functions can be called until an agent of its name is defined anew in the same place. */
  define(agent: AgentDefinition, place?: string): AgentSpec
  /** The same for one run alone: its functions are never another agent's of the same name. `forget` ends it. */
  defineFor(run: string, agent: AgentDefinition): AgentSpec
  keep(handle: string, target: (args: readonly unknown[]) => unknown): Handle
  forget(run: string): void
  receive(message: Extract<ToPage, { type: 'call' | 'call-abort' }>): void
  /** A call's result is in the journal. */
  settled(callId: string): void
  /** The worker is gone: a tool's call goes on, and the next worker may join it; everything else ends. */
  disconnect(): void
}

type Target = (args: readonly unknown[], signal: AbortSignal) => unknown

interface Joinable {
  readonly entry: string
  readonly reply: Promise<CallReply>
  readonly controller: AbortController
}

/** `isFresh`: whether what a host knew at that time of its clock may still be acted on. */
export function createHandles(post: (message: ToHost) => void, isFresh: (proven: number) => boolean): Handles {
  const targets = new Map<string, Target>()
  const calls = new Map<number, AbortController>()
  /** Calls that still run, or whose reply no journal has shown yet: a new worker joins them instead of running twice. */
  const replies = new Map<string, Joinable>()
  let isLeft = false
  globalThis.addEventListener?.('pagehide', () => (isLeft = true))
  globalThis.addEventListener?.('pageshow', () => (isLeft = false))

  /**
   * A page that is being left ends its own requests, and a tool that waited for one fails: whether it took effect nobody
   * knows. What it comes to then is told one timer later, which only a page that is brought back lives to see.
   */
  async function stays(): Promise<void> {
    if (isLeft) await new Promise((resolve) => setTimeout(resolve))
  }

  keep(begunCalls.handle, ([callId, entry], signal) => begun(callId as string, entry as string, signal))

  function keep(handle: string, target: Target): Handle {
    targets.set(handle, target)
    return { handle }
  }

  /** Every function becomes a handle, named by where it stands. */
  function pack<T>(value: T, at: string): Packed<T> {
    // The cast: what `Packed` says of a type, this does to its value.
    return packed(value, at) as Packed<T>
  }

  function packed(value: unknown, at: string): unknown {
    if (typeof value === 'function') return keep(at, (args) => value(...args))
    if (Array.isArray(value)) return value.map((item, index) => packed(item, `${at}/${item?.name ?? index}`))
    if (typeof value !== 'object' || value === null) return value
    // A schema is data, whatever its keys are called.
    const each = ([key, item]: [string, unknown]) => [key, key === 'parameters' ? item : packed(item, `${at}/${key}`)]
    return Object.fromEntries(Object.entries(value).map(each))
  }

  function packAll(agent: AgentDefinition, place: string, begin: typeof callTool): AgentSpec {
    const [own, ...others] = [...agentsOf(agent).values()].map((each) => packAgent(each, place, begin))
    // The cast: the agent itself is the first of them.
    return { ...(own as AgentSpec), others }
  }

  function packAgent(agent: AgentDefinition, place: string, begin: typeof callTool): AgentSpec {
    const { model, tools, endpoint, hooks = [], canUseTool, onElicitation, ...rest } = agent
    const at = place + rest.name
    const stream: Target = ([request, options], signal) =>
      (model as Model).stream(request as never, { ...(options as object), signal })
    return {
      ...pack(rest, at),
      endpoint: endpoint === undefined ? undefined : absolute(endpoint),
      ...(typeof model === 'string'
        ? { model }
        : {
            model: keep(`${at}/model`, stream),
            stopModel: model.stop && keep(`${at}/stop`, ([key]) => model.stop?.(key as string)),
          }),
      hooks: hooks.map(({ run: ask, ...hook }) => ({
        ...hook,
        run: keep(`${at}/hooks/${hook.name}`, ([input, id], signal) => ask(input as never, id as string, { signal })),
      })),
      canUseTool:
        canUseTool &&
        keep(`${at}/canUseTool`, ([name, input, about], signal) =>
          canUseTool(name as string, input, { ...(about as Omit<CanUseToolOptions, 'signal'>), signal }),
        ),
      onElicitation:
        onElicitation &&
        keep(`${at}/onElicitation`, ([request], signal) => onElicitation(request as ElicitationRequest, { signal })),
      tools: tools.map((tool) => packTool(tool, `${at}/tools/${tool.name}`, begin)),
    }
  }

  function packTool(tool: Tool, at: string, begin: typeof callTool): ToolSpec {
    const { func: _func, summary: _summary, undo, agent, handoff, ...rest } = tool
    const func = keep(`${at}/func`, ([args, context], signal) =>
      begin(tool, args, { ...(context as CallContext), signal }),
    )
    return {
      ...pack(rest, at),
      func,
      undo:
        undo && keep(`${at}/undo`, ([args, context], signal) => undo(args, { ...(context as UndoContext), signal })),
      agent: agent?.name,
      handoff: typeof handoff === 'object' ? handoff.name : handoff,
    }
  }

  /** The same try of a call never starts twice on this page, however often a worker asks. */
  function joined(tool: Tool, args: unknown, context: CallContext): Promise<CallReply> {
    // Each answer of a person enters the tool anew.
    const entry = `${context.attempt}.${context.told?.length ?? 0}`
    return replyOf(context.callId, entry, context.signal, (signal) => callTool(tool, args, { ...context, signal }))
  }

  /** For another tab, which may decide about it anew: what has not begun by now never does. */
  function begun(callId: string, entry: string, signal: AbortSignal): Promise<CallReply> {
    const reply: CallReply =
      entry === firstEntry
        ? { status: 'error', content: `${diedFirst} Nothing was run.` }
        : { status: 'error', content: `${diedFirst} Whether an earlier try took effect is not known.`, unknown: true }
    return replyOf(callId, entry, signal, async () => reply)
  }

  function replyOf(
    callId: string,
    entry: string,
    asking: AbortSignal,
    begin: (signal: AbortSignal) => Promise<CallReply>,
  ): Promise<CallReply> {
    let running = replies.get(callId)
    if (running?.entry !== entry) {
      // Its own signal: the worker that asked may die, and the one that joins must be able to stop it.
      const controller = new AbortController()
      running = { entry, controller, reply: begin(controller.signal) }
      replies.set(callId, running)
    }
    const { controller, reply } = running
    asking.addEventListener('abort', () => asking.reason !== gone && controller.abort())
    return reply
  }

  async function answer(id: number, handle: string, args: readonly unknown[]): Promise<void> {
    const controller = new AbortController()
    calls.set(id, controller)
    // The next worker counts from 1 as well: an answer to the last one must not become the answer to another question.
    const tell = (message: ToHost) => calls.get(id) === controller && post(message)
    try {
      const target = targets.get(handle)
      if (!target) throw new DogearError('handle-missing', `This page has no "${handle}".`)
      const value = await target(args, controller.signal)
      if (isIterable(value)) {
        for await (const item of value) {
          if (controller.signal.aborted) break
          tell({ type: 'call-yield', id, value: item })
        }
        tell({ type: 'call-return', id, value: undefined })
      } else {
        await stays()
        tell({ type: 'call-return', id, value })
      }
    } catch (error) {
      await stays()
      tell({ type: 'call-throw', id, error: toErrorData(error) })
    } finally {
      if (calls.get(id) === controller) calls.delete(id)
    }
  }

  return {
    define: (agent, place = '') => packAll(agent, place, joined),
    defineFor: (run, agent) => packAll(agent, `${run}/`, callTool),
    keep,
    forget(run) {
      for (const handle of targets.keys()) if (handle.startsWith(`${run}/`)) targets.delete(handle)
    },
    receive(message) {
      if (message.type === 'call') {
        const { id, handle, args, proven } = message
        // Frozen since it was said: by now the call may be another tab's, and have run there.
        if (proven !== undefined && !isFresh(proven)) post({ type: 'call-confirm', id })
        else void answer(id, handle, args)
      } else calls.get(message.id)?.abort()
    },
    settled: (callId) => void replies.delete(callId),
    disconnect() {
      for (const controller of calls.values()) controller.abort(gone)
      calls.clear()
    },
  }
}

const diedFirst = 'The worker of the page that was to run this died first.'
/** No attempt and no answer came before it. */
const firstEntry = '1.0'

/** Why a call's signal aborts when its worker has died. */
const gone = new DogearError('worker-lost', 'The worker that asked for this is gone.')

function isIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}

/** A blob worker has no base address: a relative endpoint would fail there. */
function absolute(endpoint: string): string {
  const base = globalThis.document?.baseURI
  const url = base === undefined ? endpoint : new URL(endpoint, base).href
  return url.replace(/\/+$/, '')
}
