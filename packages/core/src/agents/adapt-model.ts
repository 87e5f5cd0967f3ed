/** Models of other SDKs: `{ invoke(messages) }`, with `bindTools` where they have it. */
import { DogearError } from '../error.ts'
import type { Model, ModelEvent, ModelTool } from '../ports/model.ts'
import type { ContentPart, Message } from '../session/message.ts'
import { normalizeUsage, toModelUsage } from '../session/normalize-usage.ts'
import type { ToolCallInput } from '../session/smart-state.ts'

export interface InvokableModel {
  invoke(messages: any, options?: any): unknown
  bindTools?(tools: any): Pick<InvokableModel, 'invoke'>
  readonly modelName?: string
}

/** What such a model answers with. */
interface Reply {
  readonly content?: string | readonly ContentPart[] | null
  readonly tool_calls?: readonly ToolCallInput[]
  readonly usage?: unknown
  readonly usage_metadata?: unknown
  readonly response_metadata?: { readonly model_name?: string; readonly usage?: unknown }
}

/** A model of ours is passed on as it is; undefined stays undefined. */
export function adaptModel<T>(model: T | Model | InvokableModel): T | Model {
  const isInvokable =
    typeof model === 'object' && model !== null && typeof (model as InvokableModel).invoke === 'function'
  return isInvokable ? invokable(model as InvokableModel) : (model as T | Model)
}

function invokable(model: InvokableModel): Model {
  return {
    async *stream({ messages, tools = [], toolChoice }, { signal }): AsyncGenerator<ModelEvent> {
      const offered = toolChoice === 'none' ? [] : tools
      const bound = offered.length && model.bindTools ? model.bindTools(offered.map(asFunction)) : model
      const reply = (await bound.invoke(messages.map(plain), { signal, tools: offered.map(asFunction) })) as Reply
      if (typeof reply !== 'object' || reply === null) {
        throw new DogearError('bad-response', 'model.invoke() must return { content, tool_calls? }.')
      }
      const text = textOf(reply)
      if (text) yield { type: 'text-delta', text }
      const calls = reply.tool_calls ?? []
      for (const [index, call] of calls.entries()) yield* callEvents(call, index)
      const usage = normalizeUsage(reply.usage ?? reply.usage_metadata ?? reply.response_metadata?.usage)
      const name = reply.response_metadata?.model_name ?? model.modelName
      if (usage) yield { type: 'usage', usage: toModelUsage(usage), model: name }
      yield { type: 'finish', reason: calls.length ? 'tool-calls' : 'stop' }
    },
  }
}

function textOf({ content }: Reply): string {
  if (typeof content === 'string') return content
  return (content ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('')
}

function* callEvents(call: ToolCallInput, index: number): Generator<ModelEvent> {
  const args = call.function?.arguments ?? call.args ?? {}
  yield { type: 'call-start', index, id: call.id, name: call.function?.name ?? call.name ?? '' }
  yield { type: 'call-delta', index, args: typeof args === 'string' ? args : JSON.stringify(args) }
}

function asFunction({ name, description, parameters }: ModelTool) {
  return { type: 'function', function: { name, description, parameters } }
}

/** OpenAI's fields alone: what is ours in a message is not theirs to read. */
function plain({ role, content, tool_calls, tool_call_id, name }: Message) {
  return {
    role,
    content,
    ...(tool_calls && {
      tool_calls: tool_calls.map(({ id, type, function: called }) => ({ id, type, function: called })),
    }),
    ...(tool_call_id !== undefined && { tool_call_id }),
    ...(name !== undefined && { name }),
  }
}
