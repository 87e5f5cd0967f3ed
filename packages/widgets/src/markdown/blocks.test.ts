import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Blocks, toBlocks } from './blocks.ts'
import { markdownText } from './markdown-texts.ts'

test('a block stands where the text has it', () => {
  fc.assert(
    fc.property(markdownText, (text) => {
      for (const { raw, start, end } of toBlocks(text).all) expect(text.slice(start, end)).toBe(raw)
    }),
    { numRuns: 1000 },
  )
})

test('however a text came, the blocks at its end are those of the whole', () => {
  fc.assert(
    fc.property(markdownText, fc.array(fc.nat(200)), (text, cuts) => {
      const streamed = stream(text, cuts)
      expect(toBlocks(text, { previous: streamed }).all).toEqual(toBlocks(text).all)
    }),
    { numRuns: 1000 },
  )
})

test('while a text grows, finished blocks stay the same objects', () => {
  const first = toBlocks('# One\n\ntwo *words*\n\n- three\n', { streaming: true })
  const next = toBlocks('# One\n\ntwo *words*\n\n- three\n- four', { streaming: true, previous: first })
  expect(next.all[0]).toBe(first.all[0])
  expect(next.all[1]).toBe(first.all[1])
  expect(next.all[2]).not.toBe(first.all[2])
  const whole = toBlocks('# One\n\ntwo *words*\n\n- three\n- four', { previous: next })
  expect(whole.all[0]).toBe(first.all[0])
  expect(whole.all.map(({ key }) => key)).toEqual(['0-heading', '1-paragraph', '2-list'])
})

test('a text that is replaced is read from its start', () => {
  const previous = toBlocks('one\n\ntwo', { streaming: true })
  expect(toBlocks('# other\n\ntwo', { streaming: true, previous }).all[0]?.key).toBe('0-heading')
})

test('line ends of any kind are one', () => {
  expect(toBlocks('a\r\n\r\nb\rc').all.map(({ raw }) => raw)).toEqual(['a', 'b\nc'])
})

describe('references', () => {
  test('[T3] meet definitions that come later, once the text is whole', () => {
    const text = 'see [docs]\n\nmore\n\n[docs]: https://a.example\n'
    const streamed = stream(text, [20, 40])
    const whole = toBlocks(text, { previous: streamed })
    expect(whole.all[0]).not.toBe(streamed.all[0])
    expect(whole.links.get('DOCS')?.href).toBe('https://a.example')
  })

  test('use a definition that came before, as soon as it is whole', () => {
    const text = '[docs]: https://a.example\n\nsee [docs] now\n\nmore'
    expect(stream(text, [3, 20, 35, 45]).links.get('DOCS')?.href).toBe('https://a.example')
  })
})

function stream(text: string, cuts: readonly number[]): Blocks {
  let previous = toBlocks('', { streaming: true })
  for (const cut of [...cuts].toSorted((one, other) => one - other)) {
    previous = toBlocks(text.slice(0, cut), { streaming: true, previous })
  }
  return toBlocks(text, { streaming: true, previous })
}
