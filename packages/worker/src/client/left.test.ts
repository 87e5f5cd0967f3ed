import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { watchLeaving } from './left.ts'

let kept: Map<string, string>
let page: EventTarget
let view: EventTarget & { visibilityState?: string }

beforeEach(() => {
  kept = new Map()
  page = new EventTarget()
  view = new EventTarget()
  vi.stubGlobal('document', view)
  vi.stubGlobal('addEventListener', page.addEventListener.bind(page))
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, text: string) => void kept.set(key, text),
  })
})
afterEach(() => void vi.unstubAllGlobals())

test('[G16] a page that goes says so; one that crashes has said nothing', () => {
  const left = watchLeaving(() => 'one')
  expect(left(['one', 'two'])).toEqual([])
  page.dispatchEvent(new Event('pagehide'))
  expect(left(['one', 'two'])).toEqual(['one'])
})

test('[G16] out of sight counts as left, until it is seen again', () => {
  const left = watchLeaving(() => 'one')
  show('hidden')
  expect(left(['one'])).toEqual(['one'])
  show('visible')
  expect(left(['one'])).toEqual([])
})

test('[G16] a page with nothing to do writes nothing, and what is written stays short', () => {
  let life = ''
  const left = watchLeaving(() => life)
  show('hidden')
  expect(kept.size).toBe(0)
  for (let host = 0; host < 100; host += 1) {
    life = `host${host}`
    page.dispatchEvent(new Event('pagehide'))
  }
  expect(left(['host0', 'host99'])).toEqual(['host99'])
  expect([...kept.values()].join().length).toBeLessThan(200)
})

test('[G16] without localStorage nobody is known to have left', () => {
  vi.stubGlobal('localStorage', undefined)
  const left = watchLeaving(() => 'one')
  page.dispatchEvent(new Event('pagehide'))
  expect(left(['one'])).toEqual([])
})

function show(state: string): void {
  view.visibilityState = state
  view.dispatchEvent(new Event('visibilitychange'))
}
