/** Talks with the demo model as the loop does: asks, runs the tools it calls, asks again, until it rests. */
import { demoProvider } from '../src/index.ts'
import { parseChatRequest } from '../src/request/chat-request.ts'

export interface DemoTool {
  readonly name: string
  readonly description?: string
  readonly parameters?: Record<string, unknown>
  readonly run: (args: any) => unknown
}

export interface Conversation {
  /** Everything said, one entry a step. */
  readonly texts: string[]
  readonly calls: { readonly name: string; readonly args: any }[]
  readonly reasoning: string
}

export async function converse(said: string, tools: readonly DemoTool[] = []): Promise<Conversation> {
  const messages: object[] = [{ role: 'user', content: said }]
  const conversation = { texts: [] as string[], calls: [] as Conversation['calls'], reasoning: '' }
  for (let step = 0; step < 12; step++) {
    const message = await nextMessage(messages, tools)
    if (message.content) conversation.texts.push(message.content)
    conversation.reasoning += message.reasoning_content ?? ''
    messages.push(message)
    if (message.tool_calls === undefined) return conversation
    for (const { id, function: call } of message.tool_calls) {
      const args = JSON.parse(call.arguments)
      conversation.calls.push({ name: call.name, args })
      const result = tools.find(({ name }) => name === call.name)!.run(args)
      messages.push({
        role: 'tool',
        tool_call_id: id,
        content: typeof result === 'string' ? result : JSON.stringify(result),
      })
    }
  }
  throw new Error('The demo model never rested.')
}

interface Message {
  content: string | null
  reasoning_content?: string
  tool_calls?: { id: string; function: { name: string; arguments: string } }[]
}

async function nextMessage(messages: object[], tools: readonly DemoTool[]): Promise<Message> {
  const offered = tools.map(({ name, description, parameters }) => ({
    type: 'function',
    function: { name, description, parameters },
  }))
  const { max_tokens: _, max_completion_tokens: __, ...request } = parseChatRequest({ messages, tools: offered })
  const completion = await demoProvider().complete({ ...request, maxTokens: undefined }, new AbortController().signal)
  return (completion as { choices: [{ message: Message }] }).choices[0].message
}
