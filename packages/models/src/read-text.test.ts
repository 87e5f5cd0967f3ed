import { expect, test } from 'vitest'
import { fakeClock } from '@dogear/testing'
import { readText } from './read-text.ts'

test('a body is read as text, also when it is cut inside a character', async () => {
  const [first, ...rest] = new TextEncoder().encode('é!')
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(new Uint8Array([first!]))
      controller.enqueue(new Uint8Array(rest))
      controller.close()
    },
  })
  expect(await readText(new Response(body), 100, fakeClock())).toBe('é!')
  expect(await readText(new Response(null), 100, fakeClock())).toBe('')
})

test('[T15] a body without end is read up to its limit, then ended', async () => {
  let isEnded = false
  const body = new ReadableStream({
    pull: (controller) => controller.enqueue(new TextEncoder().encode('x'.repeat(60))),
    cancel: () => void (isEnded = true),
  })
  expect(await readText(new Response(body), 100, fakeClock())).toHaveLength(120)
  expect(isEnded).toBe(true)
})
