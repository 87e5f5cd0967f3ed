import { expect, test } from 'vitest'
import { createProxy, demoProvider } from '../index.ts'
import { ask, errorOf, hello } from '../../test/ask.ts'

const models = { default: { model: 'demo', provider: demoProvider({ pace: 0 }) } }
const proxy = createProxy({ models, maxBodyBytes: 1000 })

test('[T12] a body over the limit is refused whether or not it says its length', async () => {
  const long = JSON.stringify({ ...hello, user: 'x'.repeat(1000) })
  expect(await errorOf(await ask(proxy, long))).toMatchObject({ status: 413, code: 'body_too_large' })
  const headers = { 'content-length': '2000' }
  expect(await errorOf(await ask(proxy, hello, { headers }))).toMatchObject({ status: 413 })
})

test('[T12] an endless body is left after the limit, not read to its end', async () => {
  let sent = 0
  const body = new ReadableStream({
    pull(controller) {
      sent += 100
      controller.enqueue(new TextEncoder().encode('['.repeat(100)))
    },
  })
  const init = { method: 'POST', body, duplex: 'half' }
  const response = await proxy(new Request('http://localhost/chat/completions', init))
  expect(response.status).toBe(413)
  expect(sent).toBeLessThan(3000)
})

test.each([
  ['', 'body_missing'],
  ['   ', 'body_missing'],
  ['{', 'body_not_json'],
  ['{"a":1}}', 'body_not_json'],
  ['<html>', 'body_not_json'],
  ['[]', 'request_invalid'],
  ['null', 'request_invalid'],
  [`${'['.repeat(65)}${']'.repeat(65)}`, 'body_too_deep'],
  [`${'{"a":'.repeat(70)}1${'}'.repeat(70)}`, 'body_too_deep'],
])('[T15] the body %j is refused as %s', async (body, code) => {
  expect(await errorOf(await ask(proxy, body))).toMatchObject({ status: 400, code })
})

test('brackets inside words are not nesting', async () => {
  const messages = [{ role: 'user', content: `hello "${'['.repeat(100)}\\` }]
  expect((await ask(proxy, { ...hello, messages })).status).toBe(200)
})

test('a body that is not UTF-8 is refused', async () => {
  const body = new Uint8Array([0x22, 0xff, 0xfe, 0x22])
  const response = await proxy(new Request('http://localhost/chat/completions', { method: 'POST', body }))
  expect(await errorOf(response)).toMatchObject({ status: 400, code: 'body_unreadable' })
})
