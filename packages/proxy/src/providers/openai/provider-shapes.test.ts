/** Streams as different providers shape them come out as they went in, field by field. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { ask, eventsOf } from '../../../test/ask.ts'
import { openUpstream, sendEvents, type Upstream } from '../../../test/upstream-server.ts'
import { createProxy, fromEnv } from '../../index.ts'

let upstream: Upstream | undefined

afterEach(() => upstream?.close())

/** Sends the chunks as a provider would, and gives what a page gets. */
async function pass(chunks: readonly object[], env: Record<string, string> = {}, noise = ''): Promise<object[]> {
  upstream = await openUpstream((response) => {
    sendEvents(response, [...chunks.map((chunk) => `${noise}data: ${JSON.stringify(chunk)}`), 'data: [DONE]'])
    response.end()
  })
  const { models } = fromEnv({ OPENAI_BASE_URL: upstream.url, ...env })
  const messages = [{ role: 'user', content: 'hello' }]
  const events = await eventsOf(await ask(createProxy({ models }), { messages, stream: true }))
  expect(events.at(-1)!.data).toBe('[DONE]')
  return events.slice(0, -1).map(({ data }) => JSON.parse(data))
}

const chunk = (model: string, delta: object, finish_reason: string | null = null, more: object = {}) => ({
  id: 'c1',
  object: 'chat.completion.chunk',
  created: 1_700_000_000,
  model,
  choices: [{ index: 0, delta, finish_reason, ...more }],
})

test('[J10] OpenAI: usage in a last chunk without choices, refusal, fingerprint', async () => {
  const chunks = [
    {
      ...chunk('gpt-5.4-mini', { role: 'assistant', content: '', refusal: null }),
      system_fingerprint: 'fp',
      service_tier: 'default',
    },
    chunk('gpt-5.4-mini', { content: 'Olá, 世界 🌍' }, null, { logprobs: null }),
    chunk('gpt-5.4-mini', {}, 'stop'),
    { ...chunk('gpt-5.4-mini', {}), choices: [], usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 } },
  ]
  expect(await pass(chunks, { OPENAI_API_KEY: 'sk-a', MODEL: 'gpt-5.4-mini' })).toEqual(chunks)
})

test('[J10] OpenRouter: comments between events, reasoning beside the words, provider and cost', async () => {
  const chunks = [
    chunk('anthropic/claude', {
      role: 'assistant',
      content: '',
      reasoning: 'Hm.',
      reasoning_details: [{ type: 'reasoning.text', text: 'Hm.' }],
    }),
    {
      ...chunk('anthropic/claude', { content: 'Yes.' }, 'stop', { native_finish_reason: 'end_turn' }),
      provider: 'Anthropic',
    },
    {
      ...chunk('anthropic/claude', {}),
      choices: [],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2, cost: 0.01 },
    },
  ]
  const noise = ': OPENROUTER PROCESSING\n\n'
  expect(await pass(chunks, { OPENAI_API_KEY: 'sk-or', MODEL: 'anthropic/claude' }, noise)).toEqual(chunks)
})

test('[J10] Ollama: no key, a whole tool call in one chunk', async () => {
  const call = { index: 0, id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"where":"left"}' } }
  const chunks = [
    chunk('llama3.2', { role: 'assistant', content: '', tool_calls: [call] }),
    chunk('llama3.2', { role: 'assistant', content: '' }, 'tool_calls'),
  ]
  expect(await pass(chunks, { MODEL: 'llama3.2' })).toEqual(chunks)
  expect(upstream!.requests[0]).toMatchObject({ path: '/v1/chat/completions', body: { model: 'llama3.2' } })
})

for (const [name, chunks] of recordedStreams())
  test(`[J10] the recorded stream ${name} passes unchanged`, async () => {
    expect(await pass(chunks)).toEqual(chunks)
  })

/** The public corpus, where its folder is named; only the recordings in this wire format. */
function recordedStreams(): [string, object[]][] {
  if (!process.env.DOGEAR_CORPORA) return []
  const folder = join(process.env.DOGEAR_CORPORA, 'streams')
  return readdirSync(folder).flatMap((name) => {
    const text = readFileSync(join(folder, name), 'utf8')
    const isChat = text.startsWith('{') && text.slice(0, 400).includes('"chat.completion.chunk"')
    return isChat
      ? [
          [
            name,
            text
              .trim()
              .split('\n')
              .map((line) => JSON.parse(line)),
          ] as [string, object[]],
        ]
      : []
  })
}
