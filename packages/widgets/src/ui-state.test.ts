import { afterEach, expect, test, vi } from 'vitest'
import { forgetUser, uiState } from './ui-state.ts'

afterEach(() => vi.unstubAllGlobals())

test('without storage a widget remembers for as long as the page lives', () => {
  vi.stubGlobal('sessionStorage', undefined)
  vi.stubGlobal('localStorage', undefined)
  uiState({ user: 'ana', agent: 'concierge' }).set('draft', 'Hello')
  expect(uiState({ user: 'ana', agent: 'concierge' }).get('draft')).toBe('Hello')
  expect(uiState({ user: 'rui', agent: 'concierge' }).get('draft')).toBeUndefined()
  forgetUser('ana')
  expect(uiState({ user: 'ana', agent: 'concierge' }).get('draft')).toBeUndefined()
})

test('a tab goes its own way, and a new tab begins where the last one was', () => {
  const local = fakeStorage()
  const first = { sessionStorage: fakeStorage(), localStorage: local }
  const second = { sessionStorage: fakeStorage(), localStorage: local }
  const inTab = (tab: object) => {
    for (const [name, storage] of Object.entries(tab)) vi.stubGlobal(name, storage)
    return uiState({ agent: 'concierge' })
  }
  inTab(first).set('draft', 'from the first')
  expect(inTab(second).get('draft')).toBe('from the first')
  inTab(second).set('draft', 'from the second')
  expect(inTab(first).get('draft')).toBe('from the first')
})

test('a full or forbidden storage is not an error', () => {
  const full = { ...fakeStorage(), setItem: () => throwQuota() }
  vi.stubGlobal('sessionStorage', full)
  vi.stubGlobal('localStorage', undefined)
  expect(() => uiState({ agent: 'concierge' }).set('open', true)).not.toThrow()
})

function throwQuota(): never {
  throw new DOMException('full', 'QuotaExceededError')
}

function fakeStorage() {
  const kept = new Map<string, string>()
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, text: string) => void kept.set(key, text),
    removeItem: (key: string) => void kept.delete(key),
  }
}
