import { afterEach, expect, test, vi } from 'vitest'
import { createPersistence } from './persistence.ts'

afterEach(() => vi.unstubAllGlobals())

function browser({ isPersisted = false, isFirefox = false } = {}) {
  const persist = vi.fn(async () => true)
  vi.stubGlobal('navigator', { storage: { persist, persisted: async () => isPersisted } })
  if (isFirefox) vi.stubGlobal('mozInnerScreenX', 0)
  return persist
}

test('[G11] the browser is asked once, at the first words', async () => {
  const persist = browser()
  const persistence = createPersistence()
  await vi.waitFor(() => expect(persistence.persisted.value).toBe(false))
  expect(persist).not.toHaveBeenCalled()
  persistence.saved()
  persistence.saved()
  await vi.waitFor(() => expect(persistence.persisted.value).toBe(true))
  expect(persist).toHaveBeenCalledTimes(1)
})

test('[G11] one that has promised it already is not asked', async () => {
  const persist = browser({ isPersisted: true })
  const persistence = createPersistence()
  await vi.waitFor(() => expect(persistence.persisted.value).toBe(true))
  persistence.saved()
  expect(persist).not.toHaveBeenCalled()
})

test.each([
  { mayAsk: undefined, isFirefox: true, times: 0 },
  { mayAsk: true, isFirefox: true, times: 1 },
  { mayAsk: false, isFirefox: false, times: 0 },
])('[G11] a person is asked only where the page says so: %o', ({ mayAsk, isFirefox, times }) => {
  const persist = browser({ isFirefox })
  createPersistence(mayAsk).saved()
  expect(persist).toHaveBeenCalledTimes(times)
})

test('[G11] without such storage nothing is known, and nothing fails', () => {
  vi.stubGlobal('navigator', {})
  const persistence = createPersistence(true)
  persistence.saved()
  expect(persistence.persisted.value).toBeNull()
})
