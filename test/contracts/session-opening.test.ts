/** Opening a session: what it keeps of the model it began with, and whether it may, or must, be there already. */
import { createServer } from 'node:http'
import { type AddressInfo } from 'node:net'
import { say, scriptedModel } from '@dogear/testing'
import { createSmartAgent, query } from 'dogear'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { device } from './device.ts'

let asked: string[] = []
let endpoint = ''
const server = createServer((request, response) => {
  let body = ''
  request.on('data', (data: Buffer) => (body += data.toString()))
  request.on('end', () => {
    asked.push((JSON.parse(body) as { model: string }).model)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(
      'data: {"choices":[{"index":0,"delta":{"content":"Fine."},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
    )
  })
})

beforeEach(async () => {
  asked = []
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(() => void server.close())

async function ask(words: string, model: string | undefined, id: string): Promise<void> {
  const session = await createSmartAgent({ name: 'o16', endpoint, model }).open(id)
  await session.send(words)
  session.close()
}

test('[O16] a session keeps the model it began with, also one that nobody named, until another is set', async () => {
  await ask('One', 'first', 'kept')
  await ask('Two', 'second', 'kept')
  await ask('One', undefined, 'unnamed')
  await ask('Two', 'second', 'unnamed')
  expect(asked).toEqual(['first', 'first', 'default', 'default'])
  const session = await createSmartAgent({ name: 'o16', endpoint, model: 'second' }).open('kept')
  expect(session.settings.value.model).toBe('first')
  await session.set({ model: 'second' })
  await session.send('Three')
  const fork = await session.fork()
  await fork.send('Four')
  expect(asked.slice(4)).toEqual(['second', 'second'])
})

test('[O16] [K19] a query that goes on asks the model the session began with, or the one it names', async () => {
  const options = { endpoint, model: 'first', sessionId: 'queried' }
  for await (const _ of query({ prompt: 'One', options })) void _
  for await (const _ of query({ prompt: 'Two', options: { endpoint, resume: 'queried' } })) void _
  for await (const _ of query({ prompt: 'Three', options: { endpoint, resume: 'queried', model: 'other' } })) void _
  for await (const _ of query({ prompt: 'Four', options: { endpoint, resume: 'queried' } })) void _
  expect(asked).toEqual(['first', 'first', 'other', 'other'])
})

test('[O16] a model of the page’s own is never kept', async () => {
  const here = device()
  const session = await here.tab({ model: scriptedModel(() => say('Fine.')) }).open()
  await session.send('One')
  expect(session.settings.value.model).toBeUndefined()
})

test('[O16] a session that must be new or must be there is refused when it is not', async () => {
  const agent = createSmartAgent({ name: 'o16', endpoint })
  await expect(agent.open('must', { expect: 'existing' })).rejects.toMatchObject({ code: 'session-missing' })
  const session = await agent.open('must', { expect: 'new' })
  await session.send('One')
  await expect(agent.open('must', { expect: 'new' })).rejects.toMatchObject({ code: 'session-exists' })
  expect((await agent.open('must', { expect: 'existing' })).messages.value).toHaveLength(2)
  for (const id of [undefined, 'new']) {
    await expect(agent.open(id, { expect: 'existing' })).rejects.toMatchObject({ code: 'input-invalid' })
  }
})
