/** J10: who answers is chosen by three environment variables, and by nothing in the page. */
import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { useBrowser } from './support/browser.ts'
import { chatOf } from './support/chat.ts'
import { startProxy } from './support/proxy.ts'
import { startSite } from './support/site.ts'

const browser = useBrowser()
const corpora = process.env['DOGEAR_CORPORA']
const recorded = corpora ? recordings(join(corpora, 'streams')) : []

test('[J10] OpenAI: a key and a model', async () => {
  const provider = await startProvider([
    event({
      model: 'gpt-5.4-mini',
      service_tier: 'default',
      ...says({ role: 'assistant', content: '', refusal: null }),
    }),
    event({ model: 'gpt-5.4-mini', ...says({ content: 'Good morn' }) }),
    event({ model: 'gpt-5.4-mini', ...says({ content: 'ing, Olá 🌍.' }) }),
    event({ model: 'gpt-5.4-mini', ...says({}, 'stop') }),
    event({ model: 'gpt-5.4-mini', choices: [], usage: { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 } }),
  ])
  const env = { OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: provider.url, MODEL: 'gpt-5.4-mini' }
  const { printed, chat } = await visit(env)
  expect(printed).toContain('Answers with gpt-5.4-mini at 127.0.0.1')
  expect(printed).not.toContain('sk-test')
  await chat.send('hello')
  await chat.says('Good morning, Olá 🌍.')
  await chat.is('Saved')
  expect(provider.asked).toMatchObject([
    { authorization: 'Bearer sk-test', body: { model: 'gpt-5.4-mini', stream: true } },
  ])
})

test('[J10] OpenRouter: comments while it thinks, reasoning beside the words', async () => {
  const provider = await startProvider([
    ': OPENROUTER PROCESSING\n\n',
    ': OPENROUTER PROCESSING\n\n',
    event({ provider: 'Somebody', ...says({ role: 'assistant', content: '', reasoning: 'They greet me.' }) }),
    event({ provider: 'Somebody', ...says({ content: 'Hello from far away.' }) }),
    event({ provider: 'Somebody', ...says({}, 'stop') }),
    event({ choices: [], usage: { prompt_tokens: 2, completion_tokens: 3, total_tokens: 5, cost: 0.0001 } }),
  ])
  const env = { OPENAI_API_KEY: 'sk-or-test', OPENAI_BASE_URL: provider.url, MODEL: 'some/model' }
  const { chat } = await visit(env)
  await chat.send('hello')
  await chat.says('Hello from far away.')
  await chat.is('Saved')
  expect(await chat.conversation.locator('details', { hasText: /thought/i }).count()).toBe(1)
  expect(provider.asked[0]).toMatchObject({ authorization: 'Bearer sk-or-test', body: { model: 'some/model' } })
})

test('[J10] Ollama: an address and a model, no key, no usage, no [DONE]', async () => {
  const provider = await startProvider(
    [
      event({ system_fingerprint: 'fp_ollama', ...says({ role: 'assistant', content: 'Hello ' }) }),
      event({ system_fingerprint: 'fp_ollama', ...says({ role: 'assistant', content: 'from this machine.' }) }),
      event({ system_fingerprint: 'fp_ollama', ...says({ role: 'assistant', content: '' }, 'stop') }),
    ],
    { last: '' },
  )
  const { printed, chat } = await visit({ OPENAI_BASE_URL: provider.url, MODEL: 'llama3.2' })
  expect(printed).toContain('Answers with llama3.2 at 127.0.0.1')
  await chat.send('hello')
  await chat.says('Hello from this machine.')
  await chat.is('Saved')
  expect(provider.asked[0]?.body).toMatchObject({ model: 'llama3.2' })
})

test('[J10] a wrong key is one plain sentence for the visitor, and its cause for the developer', async () => {
  const refusal = { error: { message: 'Incorrect API key provided: sk-wrong.', code: 'invalid_api_key' } }
  const provider = await startProvider([JSON.stringify(refusal)], { status: 401 })
  const { tab, chat } = await visit({ OPENAI_API_KEY: 'sk-wrong', OPENAI_BASE_URL: provider.url })
  await chat.send('hello')
  await chat.conversation.locator('.notice').waitFor()
  expect(tab.complaints.join('\n')).toContain('OPENAI_API_KEY')
  expect(await tab.content()).not.toContain('sk-wrong')
  expect(tab.complaints.join('\n')).not.toContain('sk-wrong')
})

test(`recorded answers: ${corpora ? 'found' : 'not replayed, because DOGEAR_CORPORA names no folder'}`, () => {
  expect(recorded.length > 2).toBe(Boolean(corpora))
})

test.each(recorded)('[J10] the recorded answer $name is shown to its last word', async ({ chunks, text }) => {
  const provider = await startProvider(chunks.map(event))
  const { chat } = await visit({ OPENAI_BASE_URL: provider.url, MODEL: 'recorded' })
  await chat.send('hello')
  await chat.is('Saved')
  expect(lettersOf((await chat.read()).at(-1) ?? '')).toContain(lettersOf(text))
})

async function visit(env: Record<string, string>) {
  const proxy = await startProxy({ env })
  const page = '<!doctype html><link rel="icon" href="data:,"><title>Mine</title><script src="/dogear.js"></script>'
  const site = await startSite({ pages: { '/': page }, proxy: proxy.url })
  const tab = await (await browser.newVisitor()).open(site.url)
  const chat = chatOf(tab)
  await chat.open()
  return { printed: proxy.printed(), tab, chat }
}

const providers: (() => void)[] = []
afterAll(() => providers.forEach((close) => close()))

/** A server in the provider's place: says the same to everybody, and shows what reached it. */
async function startProvider(body: readonly string[], { last = 'data: [DONE]\n\n', status = 200 } = {}) {
  const asked: { authorization: string | undefined; body: unknown }[] = []
  const server = createServer(async (request, response) => {
    asked.push({ authorization: request.headers.authorization, body: JSON.parse(await textOf(request)) })
    const type = status === 200 ? 'text/event-stream' : 'application/json'
    response.writeHead(status, { 'content-type': type })
    for (const piece of body) response.write(piece)
    response.end(status === 200 ? last : '')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  providers.push(() => server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, asked }
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const piece of request) text += piece
  return text
}

function event(chunk: object): string {
  return `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, ...chunk })}\n\n`
}

function says(delta: object, finish_reason: string | null = null) {
  return { choices: [{ index: 0, delta, finish_reason }] }
}

interface Chunk {
  readonly choices: readonly { readonly delta?: { readonly content?: unknown; readonly tool_calls?: unknown } }[]
}

/** The public recordings in this wire format that are words and no tool calls. */
function recordings(folder: string): { name: string; chunks: Chunk[]; text: string }[] {
  return readdirSync(folder).flatMap((name) => {
    const lines = readFileSync(join(folder, name), 'utf8').trim().split('\n')
    if (!lines[0]?.includes('"chat.completion.chunk"')) return []
    const chunks = lines.map((line) => JSON.parse(line) as Chunk)
    const deltas = chunks.map(({ choices }) => choices[0]?.delta)
    if (deltas.some((delta) => delta?.tool_calls)) return []
    const text = deltas.map((delta) => (typeof delta?.content === 'string' ? delta.content : '')).join('')
    return [{ name, chunks, text }]
  })
}

/** Letters alone: the marks of the markdown, and the numbers of its lists, are drawn. */
function lettersOf(text: string): string {
  return text.replace(/\P{L}/gu, '')
}
