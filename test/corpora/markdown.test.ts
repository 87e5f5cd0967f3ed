/** The examples of the CommonMark and GFM specs, by the structure of what is shown. */

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { tests } from 'commonmark-spec'
import { expect, test } from 'vitest'
import { holdsRawHtml, structureOfOurs, structureOfSpec } from './markdown-structure.ts'

interface Example {
  readonly number: number
  readonly markdown: string
  readonly html: string
}

/** Examples shown otherwise than the spec says, and why. The list may only become shorter. */
const misses = new Map([
  [25, 'names of rare characters (&ClockwiseContourIntegral;): a table of all 2,125 would cost more than the renderer'],
  [608, 'GFM: an address in text is a link'],
  [611, 'GFM: an address in text is a link'],
  [612, 'GFM: a mail address in text is a link'],
])

test('CommonMark: of 580 examples without raw html, all but the 4 listed are shown as specified', () => {
  const examples = withoutRawHtml(tests.map(withTabs))
  expect(examples).toHaveLength(580)
  expect(missed(examples)).toEqual([...misses.keys()])
})

const gfmExamples = withoutRawHtml(readGfm())

test(`GFM: of ${gfmExamples.length} examples without raw html, at most 7 are shown otherwise${whyNone()}`, () => {
  expect(missed(gfmExamples).length).toBeLessThanOrEqual(7)
})

function missed(examples: readonly Example[]): number[] {
  return examples
    .filter(({ markdown, html }) => structureOfOurs(markdown) !== structureOfSpec(html))
    .map(({ number }) => number)
}

function withoutRawHtml(examples: readonly Example[]): Example[] {
  return examples.filter(({ markdown, html }) => !holdsRawHtml(markdown, html))
}

/** The specs print a tab as an arrow. */
function withTabs({ number, markdown, html }: Example): Example {
  return { number, markdown: markdown.replaceAll('→', '\t'), html: html.replaceAll('→', '\t') }
}

function readGfm(): Example[] {
  const file = join(process.env['DOGEAR_CORPORA'] ?? '', 'gfm-spec.txt')
  const spec = process.env['DOGEAR_CORPORA'] && existsSync(file) ? readFileSync(file, 'utf8') : ''
  return [...spec.matchAll(/^`{32} example[^\n]*\n(.*?)^\.\n(.*?)^`{32}$/gms)].map(
    ([, markdown = '', html = ''], index) => withTabs({ number: index + 1, markdown, html }),
  )
}

function whyNone(): string {
  if (gfmExamples.length > 0) return ''
  return process.env['DOGEAR_CORPORA'] ? ' (gfm-spec.txt holds none)' : ' (not read: DOGEAR_CORPORA names no folder)'
}
