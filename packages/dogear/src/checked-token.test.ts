import { afterEach, expect, test, vi } from 'vitest'
import { createAgent } from './agent.ts'
import { checkedToken } from './checked-token.ts'

afterEach(() => void vi.unstubAllGlobals())

test.each(['sk-proj-1234', 'sk_live_1', 'AIzaSy1', 'gsk_1', 'xai-1', 'Bearer sk-1'])(
  '[T11] the key %s is refused on a page others can open, also when a function gives it',
  async (token) => {
    vi.stubGlobal('location', { hostname: 'shop.example' })
    expect(() => createAgent({ token })).toThrow(expect.objectContaining({ code: 'key-in-page' }))
    await expect(given(() => token)).rejects.toMatchObject({ code: 'key-in-page' })
    expect(checkedToken({ token, dangerouslyAllowBrowser: true })).toBe(token)
  },
)

test.each(['localhost', '127.0.0.1', '[::1]', ''])('[T11] on "%s" a key is the developer’s own affair', (hostname) => {
  vi.stubGlobal('location', { hostname })
  expect(checkedToken({ token: 'sk-proj-1234' })).toBe('sk-proj-1234')
})

test('[T11] a token of one’s own passes as it is', async () => {
  vi.stubGlobal('location', { hostname: 'shop.example' })
  expect(checkedToken({ token: 'eyJhbGciOiJIUzI1NiJ9.e30.x' })).toBe('eyJhbGciOiJIUzI1NiJ9.e30.x')
  expect(await given(async () => 'own')).toBe('own')
  expect(checkedToken({})).toBeUndefined()
})

async function given(token: () => string | Promise<string>): Promise<string | undefined> {
  const checked = checkedToken({ token })
  return typeof checked === 'function' ? checked() : checked
}
