import { expect, test } from 'vitest'

test('importing the widgets where there is no page does nothing, and does not throw', async () => {
  const widgets = await import('./index.ts')
  expect(() => widgets.defineElements()).not.toThrow()
  expect(widgets.mount).toBeTypeOf('function')
})
