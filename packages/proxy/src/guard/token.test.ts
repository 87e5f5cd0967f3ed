import { expect, test } from 'vitest'
import { createProxy, demoProvider } from '../index.ts'
import { ask, errorOf, hello } from '../../test/ask.ts'
import { isSameSecret } from './token.ts'

const models = { default: { model: 'demo', provider: demoProvider({ pace: 0 }) } }

test('[J9] the bearer token decides, and a refused one is told to sign in again', async () => {
  const proxy = createProxy({ models, authorize: (token) => token === 'good' && { subject: 'ann' } })
  const statuses = []
  for (const authorization of ['Bearer good', 'Bearer expired', 'good', 'Basic good', ''])
    statuses.push((await ask(proxy, hello, { headers: { authorization } })).status)
  expect(statuses).toEqual([200, 401, 401, 401, 401])
  const refused = await ask(proxy)
  expect(refused.headers.get('www-authenticate')).toBe('Bearer')
  expect(await errorOf(refused)).toMatchObject({ code: 'token_rejected' })
})

test('[J9] the check may be asynchronous and sees the whole request', async () => {
  const authorize = async (_: string | undefined, request: Request) =>
    request.headers.get('cookie') === 'session=1' ? { subject: 'ann' } : false
  const proxy = createProxy({ models, authorize })
  expect((await ask(proxy, hello, { headers: { cookie: 'session=1' } })).status).toBe(200)
  expect((await ask(proxy)).status).toBe(401)
})

test('every route asks for the token, and nothing is read before it', async () => {
  const proxy = createProxy({ models, authorize: () => false })
  for (const [method, path] of [
    ['GET', '/models'],
    ['GET', '/streams/k'],
    ['DELETE', '/streams/k'],
    ['POST', '/chat/completions'],
    ['GET', '/nothing'],
  ] as const)
    expect((await ask(proxy, 'no json', { method, path })).status).toBe(401)
})

test('a check that throws is a failure of the proxy, without its text', async () => {
  const proxy = createProxy({
    models,
    authorize: () => {
      throw new Error('database password is hunter2')
    },
  })
  const response = await ask(proxy)
  expect(response.status).toBe(500)
  expect(await response.text()).not.toContain('hunter2')
})

test('secrets are the same only letter by letter', () => {
  expect(isSameSecret('abc', 'abc')).toBe(true)
  for (const given of ['abd', 'ab', 'abcd', '', undefined]) expect(isSameSecret(given, 'abc')).toBe(false)
})
