import { emptyPartial, type Clock, type Partial } from '@dogear/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { PartialDelta } from '../protocol.ts'
import { addDelta, createDeltas, wholeDelta } from './deltas.ts'

test('what streams is told once a frame, as what was added', async () => {
  const { deltas, told, nextFrame } = telling()
  deltas.show({ ...emptyPartial('t.1'), text: 'one' })
  deltas.show({ ...emptyPartial('t.1'), text: 'one two' })
  await nextFrame()
  deltas.show({ ...emptyPartial('t.1'), text: 'one two three', reasoning: 'hm' })
  await nextFrame()
  expect(told).toMatchObject([
    { textAt: 0, text: 'one two' },
    { textAt: 7, text: ' three', reasoningAt: 0, reasoning: 'hm' },
  ])
})

test('what was not told when the answer reached the journal is not told after it', async () => {
  const { deltas, told, nextFrame } = telling()
  deltas.show({ ...emptyPartial('t.1'), text: 'one' })
  deltas.drop()
  await nextFrame()
  expect(told).toEqual([])
})

test('who joins in the middle is told all of it, also that it is being tried again', () => {
  const partial: Partial = {
    ...emptyPartial('t.1'),
    text: 'one',
    resumedAt: [1],
    retry: { type: 'retry', attempt: 1, delayMs: 500, reason: 'busy' },
  }
  expect(addDelta(null, wholeDelta(partial))).toEqual(partial)
})

test('deltas give the whole, however it was cut and whenever somebody joined', async () => {
  const pieces = fc.array(fc.tuple(fc.boolean(), fc.string({ maxLength: 4 }), fc.boolean()), { maxLength: 20 })
  await fc.assert(
    fc.asyncProperty(pieces, fc.nat(20), async (parts, joinAt) => {
      const { deltas, told, nextFrame } = telling()
      let shown: Partial = emptyPartial('t.1')
      let page: Partial | null = null
      let joined: Partial | null = null
      let heard = 0
      for (const [index, [isText, piece, isFrame]] of parts.entries()) {
        shown = isText ? { ...shown, text: shown.text + piece } : { ...shown, reasoning: shown.reasoning + piece }
        deltas.show(shown)
        if (index === joinAt) joined = shown
        if (isFrame) await nextFrame()
        for (const delta of told.slice(heard)) {
          page = addDelta(page, delta) ?? page
          if (joined) joined = addDelta(joined, delta) ?? joined
        }
        heard = told.length
      }
      await nextFrame()
      for (const delta of told.slice(heard)) {
        page = addDelta(page, delta) ?? page
        if (joined) joined = addDelta(joined, delta) ?? joined
      }
      if (parts.length) expect(page).toMatchObject({ text: shown.text, reasoning: shown.reasoning })
      if (joined) expect(joined).toMatchObject({ text: shown.text, reasoning: shown.reasoning })
    }),
  )
})

test('a missed delta is noticed', () => {
  const later: PartialDelta = { stepId: 't.1', textAt: 5, text: 'x', reasoningAt: 0, reasoning: '', calls: [] }
  expect(addDelta(null, later)).toBeUndefined()
  expect(addDelta({ ...emptyPartial('t.0'), text: 'other' }, later)).toBeUndefined()
})

function telling() {
  const told: PartialDelta[] = []
  let wake: (() => void)[] = []
  const clock: Clock = {
    now: () => 0,
    elapsed: () => 0,
    sleep: () => new Promise((resolve) => wake.push(resolve)),
    after: () => () => {},
  }
  const deltas = createDeltas(clock, (delta) => told.push(delta))
  return {
    deltas,
    told,
    async nextFrame() {
      for (const resolve of wake) resolve()
      wake = []
      await Promise.resolve()
      await Promise.resolve()
    },
  }
}
