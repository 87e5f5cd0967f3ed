/** Says a reply as OpenAI's chunks: a word or two at a time, tool arguments in pieces, usage last. */
import type { ProviderRequest } from '../provider.ts'
import type { Reply } from './reply.ts'

interface Manner {
  readonly request: ProviderRequest
  readonly pace: number
  readonly signal: AbortSignal
}

interface Delta {
  readonly role?: 'assistant'
  readonly content?: string
  readonly reasoning_content?: string
  readonly tool_calls?: readonly [CallDelta]
}

interface CallDelta {
  readonly index: number
  readonly id?: string
  readonly type?: 'function'
  readonly function: { readonly name?: string; readonly arguments: string }
}

interface Chunk {
  readonly id: string
  readonly created: number
  readonly model: string
  readonly choices: readonly { index: 0; delta: Delta; finish_reason: string | null }[]
  readonly usage?: object
}

export async function* speak(reply: Reply, { request, pace, signal }: Manner): AsyncGenerator<Chunk> {
  const isLimited = request.maxTokens !== undefined
  const deltas = [...deltasOf(reply, `call_${request.messages.length}`)].slice(0, request.maxTokens)
  const about = { id: `chatcmpl-demo-${request.messages.length}`, object: 'chat.completion.chunk', model: 'demo' }
  const created = Math.floor(Date.now() / 1000)
  const chunk = (delta: Delta, finish_reason: string | null = null): Chunk => ({
    ...about,
    created,
    choices: [{ index: 0, delta, finish_reason }],
  })

  yield chunk({ role: 'assistant', content: '' })
  for (const [index, delta] of deltas.entries()) {
    await pause(beat(pace * (reply.slowness ?? 1), index), signal)
    if (signal.aborted) return
    yield chunk(delta)
  }
  const isCut = isLimited && deltas.length === request.maxTokens
  yield chunk({}, isCut ? 'length' : reply.calls?.length ? 'tool_calls' : 'stop')
  if (request.stream_options?.include_usage) yield { ...about, created, choices: [], usage: usageOf(request, deltas) }
}

/** The same words as one completion. */
export async function asCompletion(chunks: AsyncIterable<Chunk>): Promise<object> {
  const calls: { id: string; type: 'function'; function: { name: string; arguments: string } }[] = []
  let [content, reasoning, finish, id, created] = ['', '', 'stop', '', 0]
  let usage: object | undefined
  for await (const chunk of chunks) {
    ;({ id, created, usage } = chunk)
    for (const { delta, finish_reason } of chunk.choices) {
      content += delta.content ?? ''
      reasoning += delta.reasoning_content ?? ''
      finish = finish_reason ?? finish
      for (const call of delta.tool_calls ?? []) {
        const { name = '', arguments: piece } = call.function
        const whole = (calls[call.index] ??= { id: call.id ?? '', type: 'function', function: { name, arguments: '' } })
        whole.function.arguments += piece
      }
    }
  }
  const message = {
    role: 'assistant',
    content: content || null,
    refusal: null,
    ...(reasoning && { reasoning_content: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls }),
  }
  const choices = [{ index: 0, message, logprobs: null, finish_reason: finish }]
  return { id, object: 'chat.completion', created, model: 'demo', choices, usage }
}

function* deltasOf({ reasoning = '', text = '', calls = [] }: Reply, callId: string): Generator<Delta> {
  for (const words of inWords(reasoning)) yield { reasoning_content: words }
  for (const words of inWords(text)) yield { content: words }
  for (const [index, { name, args }] of calls.entries()) {
    const head = { index, id: `${callId}_${index}`, type: 'function' } as const
    yield { tool_calls: [{ ...head, function: { name, arguments: '' } }] }
    for (const piece of inPieces(JSON.stringify(args)))
      yield { tool_calls: [{ index, function: { arguments: piece } }] }
  }
}

/** One word, two words, one word …: joined they are the text, white space and all. */
function* inWords(text: string): Generator<string> {
  const words = text.match(/\S+\s*|\s+/g) ?? []
  for (let at = 0, take = 1; at < words.length; at += take, take = 3 - take) yield words.slice(at, at + take).join('')
}

function inPieces(json: string): string[] {
  return json.match(/[^]{1,48}/gu) ?? []
}

/** Between five sixths and four thirds of the pace, by turns: an even beat reads like a machine. */
function beat(pace: number, index: number): number {
  return Math.round((pace * (25 + ((index * 7) % 16))) / 30)
}

function usageOf(request: ProviderRequest, deltas: readonly Delta[]): object {
  const prompt_tokens = Math.ceil(JSON.stringify(request.messages).length / 4)
  return { prompt_tokens, completion_tokens: deltas.length, total_tokens: prompt_tokens + deltas.length }
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> | undefined {
  if (milliseconds === 0 || signal.aborted) return undefined
  return new Promise((resolve) => {
    const wake = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', wake)
      resolve()
    }
    const timer = setTimeout(wake, milliseconds)
    signal.addEventListener('abort', wake)
  })
}
