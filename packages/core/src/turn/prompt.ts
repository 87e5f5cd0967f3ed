/** What the model is sent: instructions, the path's messages, and the tools this page has. */
import type { ModelRequest, ModelTool } from '../ports/model.ts'
import type { Message } from '../session/message.ts'
import { builtInsOf } from './builtins.ts'
import { callsLeft } from './limits.ts'
import { headOf, turnOf, type Run } from './run.ts'
import { unlessStopped } from './unless-stopped.ts'

export async function promptOf(run: Run): Promise<ModelRequest> {
  const agent = run.agent()
  const [instructions, history] = await unlessStopped(
    run.signal,
    Promise.all([agent.instructions(), run.journal.messages()]),
  )
  const messages = transcript(history)
  const builtIns = builtInsOf(agent).filter(({ isOffered }) => !isOffered || isOffered(run))
  const prompts = builtIns.map(({ prompt }) => prompt)
  const system = [headOf(run).settings.system ?? instructions, ...prompts].filter(Boolean).join('\n\n')
  if (system) messages.unshift(systemMessage(system))
  const spent = callsLeft(turnOf(run), agent.limits) <= 0
  if (spent) messages.push(limitNotice)
  const tools = [...builtIns, ...agent.tools].map(toModelTool)
  return {
    model: headOf(run).settings.model ?? agent.modelName,
    messages,
    ...(tools.length > 0 && { tools, toolChoice: spent ? 'none' : 'auto' }),
    temperature: agent.temperature,
    maxOutputTokens: agent.maxOutputTokens,
  }
}

function toModelTool({ name, description, parameters }: ModelTool): ModelTool {
  return { name, description, parameters }
}

function systemMessage(content: string): Message {
  return { id: 'system', role: 'system', content, meta: { status: 'complete', createdAt: 0 } }
}

/** A user message, because providers refuse a system message in mid-conversation. */
const limitNotice: Message = {
  id: 'limit',
  role: 'user',
  content: '[System Notice] Tool-call limit reached. Answer now with what you have, without calling tools.',
  meta: { status: 'complete', createdAt: 0 },
}

/**
 * The conversation as every provider takes it: after a message with calls exactly their results, in call order,
 * whichever finished first; no result without its call, no answer without content, and none at the very end.
 */
function transcript(history: readonly Message[]): Message[] {
  const messages: Message[] = []
  for (let index = 0; index < history.length; index += 1) {
    const message = history[index] as Message
    if (message.role === 'tool' || isEmptyAnswer(message)) continue
    messages.push(message)
    if (!message.tool_calls?.length) continue
    const results = history.slice(index + 1, endOfResults(history, index + 1))
    for (const { id } of message.tool_calls) {
      messages.push(results.find((result) => result.tool_call_id === id) ?? noResult(id))
    }
    index += results.length
  }
  // Asked again after a stop: a model shown its own unfinished words would go on with them, or refuse.
  while (messages.at(-1)?.role === 'assistant') messages.pop()
  return messages
}

function endOfResults(history: readonly Message[], from: number): number {
  let end = from
  while (history[end]?.role === 'tool') end += 1
  return end
}

function isEmptyAnswer(message: Message): boolean {
  return message.role === 'assistant' && !message.tool_calls?.length && !message.content?.length
}

function noResult(callId: string): Message {
  const content = 'No result: the call was not carried out.'
  return { id: `${callId}.r`, role: 'tool', content, tool_call_id: callId, meta: { status: 'skipped', createdAt: 0 } }
}
