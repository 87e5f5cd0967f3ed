import { expect, test } from 'vitest'
import { demoProvider } from '../index.ts'
import { createProxy, type ProxyOptions } from '../proxy.ts'
import { ask, errorOf, hello } from '../../test/ask.ts'

const models = { default: { model: 'demo', provider: demoProvider({ pace: 0 }) } }
const open = (options: ProxyOptions = {}) => createProxy({ models, ...options })
const from = (origin: string, more: Record<string, string> = {}) => ({ headers: { origin, ...more } })

test.each([
  ['http://localhost', 200],
  ['http://localhost:3000', 200],
  ['https://localhost:5173', 200],
  ['http://127.0.0.1:8080', 200],
  ['http://[::1]:8080', 200],
  ['https://example.com', 403],
  ['http://localhost.evil.example', 403],
  ['http://localhost:3000.evil.example', 403],
  ['http://127.0.0.1.evil.example', 403],
  ['http://evil.example/localhost', 403],
  ['http://evil.example#localhost', 403],
  ['http://evil.example@localhost', 403],
  ['http://localhost@evil.example', 403],
  ['http://127.0.0.2', 403],
  ['http://0.0.0.0:8787', 403],
  ['http://127.1', 403],
  ['http://2130706433', 403],
  ['file://', 403],
  ['chrome-extension://localhost', 403],
  ['javascript://localhost', 403],
  ['null', 403],
  ['http://localhost:8080 http://evil.example', 403],
])('[T12] on this machine, a page of %s gets %i', async (origin, status) => {
  const request = new Request('http://localhost:8787/models', { headers: { origin } })
  const response = await open()(request)
  expect(response.status).toBe(status)
  expect(response.headers.get('access-control-allow-origin')).toBe(status === 200 ? origin : null)
})

test.each([
  ['localhost:8787', 200],
  ['LOCALHOST:8787', 200],
  ['127.0.0.1', 200],
  ['[::1]:8787', 200],
  ['evil.example', 403],
  ['evil.example:8787', 403],
  ['localhost.evil.example', 403],
  ['127.0.0.1.nip.io', 403],
  ['localhost:8787@evil.example', 403],
  ['', 403],
])('[T12] a request that reached this machine under the name "%s" gets %i', async (host, status) => {
  const response = await open()(new Request('http://localhost:8787/models', { headers: { host } }))
  expect(response.status).toBe(status)
})

test('[T12] a rebound name in the address is refused even when the header is missing', async () => {
  const response = await open()(new Request('http://evil.example:8787/models'))
  expect(await errorOf(response)).toMatchObject({ status: 403, code: 'host_not_allowed' })
})

test.each([
  ['https://shop.example', 200],
  ['https://shop.example:444', 403],
  ['http://shop.example', 403],
  ['https://SHOP.example', 403],
  ['https://sub.shop.example', 403],
  ['https://shop.example.evil.example', 403],
  ['http://localhost:3000', 403],
  ['null', 403],
])('[T12] with exact origins, %s gets %i, and the host is the operator’s own affair', async (origin, status) => {
  const proxy = open({ origins: ['https://shop.example'], token: 'secret' })
  const headers = { origin, authorization: 'Bearer secret' }
  const response = await proxy(new Request('https://api.shop.example/models', { headers }))
  expect(response.status).toBe(status)
})

test.each(['*', 'https://shop.example/', 'https://shop.example/path', 'shop.example', 'https://SHOP.example', ''])(
  'an entry of origins that no browser would ever send is refused at the start: "%s"',
  (origin) => {
    expect(() => open({ origins: [origin] })).toThrow(`"${origin}" is not an origin`)
  },
)

test('[J1] a page from disk gets in with the token of the printed tag, and only with it', async () => {
  const proxy = open({ token: 'token-of-the-tag' })
  const statuses = []
  for (const token of ['token-of-the-tag', 'token-of-the-tab', 'token-of-the-tag-', ''])
    statuses.push((await ask(proxy, hello, from('null', { authorization: `Bearer ${token}` }))).status)
  statuses.push((await ask(proxy, hello, from('null'))).status)
  expect(statuses).toEqual([200, 403, 403, 403, 403])
})

test('[J1] without a token no page from disk gets in', async () => {
  expect((await ask(open(), hello, from('null', { authorization: 'Bearer undefined' }))).status).toBe(403)
})

test.each([
  [{}, 200],
  [{ 'sec-fetch-site': 'same-origin' }, 200],
  [{ 'sec-fetch-site': 'none' }, 200],
  [{ 'sec-fetch-site': 'same-site' }, 403],
  [{ 'sec-fetch-site': 'cross-site' }, 403],
])('[T12] a request without an origin and with %o gets %i', async (headers, status) => {
  expect((await ask(open(), hello, { headers })).status).toBe(status)
})

test('[T12] a preflight names exact methods and headers, never a star', async () => {
  const headers = { origin: 'http://localhost:3000', 'access-control-request-method': 'POST' }
  const response = await ask(open(), undefined, { method: 'OPTIONS', headers })
  expect(response.status).toBe(204)
  expect(Object.fromEntries(response.headers)).toEqual({
    'access-control-allow-headers': 'authorization, content-type, idempotency-key, last-event-id',
    'access-control-allow-methods': 'GET, POST, DELETE',
    'access-control-allow-origin': 'http://localhost:3000',
    'access-control-expose-headers': 'Retry-After, X-Should-Retry',
    'access-control-max-age': '600',
    vary: 'Origin',
  })
})

test('[T12] a preflight from elsewhere is refused and opens nothing', async () => {
  const headers = { origin: 'https://evil.example', 'access-control-request-method': 'POST' }
  const response = await ask(open(), undefined, { method: 'OPTIONS', headers })
  expect(response.status).toBe(403)
  expect(response.headers.has('access-control-allow-origin')).toBe(false)
})

test('every answer varies by origin, errors too, and lets the page read when to retry', async () => {
  const response = await ask(open(), 'no json', from('http://localhost:3000'))
  expect(response.status).toBe(400)
  expect(response.headers.get('vary')).toBe('Origin')
  expect(response.headers.get('access-control-allow-origin')).toBe('http://localhost:3000')
  expect(response.headers.get('access-control-expose-headers')).toBe('Retry-After, X-Should-Retry')
})
