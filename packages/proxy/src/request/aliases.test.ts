import { expect, test } from 'vitest'
import { handDrivenProvider } from '../../test/hand-driven-provider.ts'
import { ask, errorOf, hello } from '../../test/ask.ts'
import { createProxy } from '../index.ts'

function openProxy() {
  const { provider, calls } = handDrivenProvider()
  const models = {
    default: { provider, model: 'real-large' },
    short: { provider, model: 'real-small', maxTokens: 100 },
  }
  return { proxy: createProxy({ models }), calls }
}

test('[T12] the provider is asked for the model behind the alias, never for the name a page gave', async () => {
  const { proxy, calls } = openProxy()
  await ask(proxy, { ...hello, model: 'short', stream: false })
  expect(calls[0]!.request.model).toBe('real-small')
})

test.each(['real-large', 'gpt-5', '__proto__', 'constructor', 'toString', ''])(
  '[T12] the unknown name "%s" is refused and the aliases are named',
  async (model) => {
    const { proxy, calls } = openProxy()
    const error = await errorOf(await ask(proxy, { ...hello, model }))
    expect(error).toMatchObject({ status: 404, code: 'model_not_found' })
    expect(error.message).toContain('default, short')
    expect(calls).toEqual([])
  },
)

test.each([
  [{ model: 'short', max_tokens: 5000 }, 100],
  [{ model: 'short', max_completion_tokens: 5000 }, 100],
  [{ model: 'short', max_tokens: 50 }, 50],
  [{ model: 'short' }, 100],
  [{ model: 'short', max_tokens: null }, 100],
  [{ model: 'default', max_tokens: 5000 }, 5000],
  [{ model: 'default' }, undefined],
])('[T12] an answer to %j may have %s tokens', async (fields, limit) => {
  const { proxy, calls } = openProxy()
  await ask(proxy, { ...hello, stream: false, ...fields })
  expect(calls[0]!.request.maxTokens).toBe(limit)
})

test('[K4] [C29] hints no model asked for are taken and left out; other fields reach the model that names them, and no other', async () => {
  const { provider, calls } = handDrivenProvider()
  const fields = ['betas', 'service_tier']
  const proxy = createProxy({
    models: { default: { provider, model: 'plain' }, rich: { provider, model: 'rich', fields } },
  })
  const hints = { betas: ['long-context'], task_budget: { total: 9000 } }
  const asked = { ...hello, stream: false, ...hints }
  await ask(proxy, asked)
  await ask(proxy, { ...asked, model: 'rich', service_tier: 'flex' })
  expect(calls[0]!.request).not.toHaveProperty('betas')
  expect(calls[1]!.request).toMatchObject({ betas: ['long-context'], service_tier: 'flex' })
  for (const { request } of calls) expect(request).not.toHaveProperty('task_budget')
  for (const refused of [
    { ...asked, service_tier: 'flex' },
    { ...asked, model: 'rich', api_base: 'https://evil.example' },
  ]) {
    expect(await errorOf(await ask(proxy, refused))).toMatchObject({ status: 400, code: 'field_not_accepted' })
  }
  expect(calls).toHaveLength(2)
})

test('the model list has the aliases alone', async () => {
  const { proxy } = openProxy()
  const response = await ask(proxy, undefined, { method: 'GET', path: '/v1/models' })
  const { object, data } = await response.json()
  expect(object).toBe('list')
  expect(data.map(({ id }: { id: string }) => id)).toEqual(['default', 'short'])
  expect(JSON.stringify(data)).not.toContain('real-')
})
