import { describe, expect, test } from 'vitest'
import { withoutUndecided, withoutUnfinishedLink } from './calm.ts'

test.each([
  ['see [the docs', 'see the docs'],
  ['see [the docs]', 'see the docs'],
  ['see [the docs](', 'see the docs'],
  ['see [the docs](https://exam', 'see the docs'],
  ['see [the docs](https://exam.ple/a_(b', 'see the docs'],
  ['see [the docs](https://exam.ple "Tit', 'see the docs'],
  ['see [the docs][re', 'see the docs'],
  ['see ![a map](https://exam', 'see a map'],
  ['see **[the docs](https://exam', 'see **the docs'],
  ['[done](https://exam.ple) and', '[done](https://exam.ple) and'],
])('[T2] of an unfinished link %j only the words are shown', (text, calm) => {
  expect(withoutUnfinishedLink(text)).toBe(calm)
})

describe('the end of a streaming text that may become anything', () => {
  test.each([
    ['Here:\n-', 'Here:\n'],
    ['Here:\n1.', 'Here:\n'],
    ['Here:\n\n##', 'Here:\n\n'],
    ['Code:\n```js', 'Code:\n'],
    ['```js\ncode\n``', '```js\ncode\n'],
    ['Rows:\n\n| a | b', 'Rows:\n\n'],
    ['Rows:\n\n| a | b |\n|--', 'Rows:\n\n'],
  ])('%j is shown as %j', (source, shown) => {
    expect(withoutUndecided(source)).toBe(shown)
  })

  test.each(['Here:\n- a', 'words', '', '\n', '| a |\n|---|\n| x', '| a |\n|---|\n| x |\n', '```js\ncode'])(
    '%j is shown whole',
    (source) => {
      expect(withoutUndecided(source)).toBe(source)
    },
  )
})
