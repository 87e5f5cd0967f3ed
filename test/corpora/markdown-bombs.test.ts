/** Texts of 100 kB made to keep a markdown parser busy: each is read in its time, whole and while it streams. */

import { type ComponentChildren, h } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { expect, test } from 'vitest'
import { type Blocks, toBlocks } from '../../packages/widgets/src/markdown/blocks.ts'
import { markdownEnglish } from '../../packages/widgets/src/markdown/markdown-strings.ts'
import { renderBlock } from '../../packages/widgets/src/markdown/render-block.tsx'

const length = 100_000

const bombs: Readonly<Record<string, string>> = {
  'one paragraph': fill('word '),
  'emphasis never closed': fill('*a **b _c __d '),
  'emphasis never opened': fill('a* b** c_ d__ '),
  'emphasis nested': `${'*a **a '.repeat(7_000)}b${'** a*'.repeat(7_000)}`,
  'stars alone': `${fill('*')}a`,
  'brackets open': fill('['),
  'brackets nested': `${'['.repeat(length / 2)}a${']'.repeat(length / 2)}`,
  'links cut off': fill('[a](b'),
  'links with angle brackets cut off': fill('[a](<b'),
  'links cut off in their title': fill('[a](b '),
  'links nested': `${'['.repeat(length / 5)}a${'](b)'.repeat(length / 5)}`,
  'images of images': fill('![[]()'),
  'references without definitions': fill('[a][b] '),
  'definitions without end': fill('[a]: b "\n'),
  'definitions without references': Array.from({ length: 7_000 }, (_, index) => `[a${index}]: b\n\n`).join(''),
  'backticks of every length': Array.from({ length: 440 }, (_, index) => `e${'`'.repeat(index)}`).join(''),
  'code of spaces': `\` ${fill('a')}\``,
  'code between marks never closed': fill('*a `b` '),
  'backticks that open no fence': `${fill('`')}a\``,
  'brackets in an address': `[a](${fill('(a(')}`,
  'labels without end': fill('[a][b'),
  'labels of backslashes': `[${fill('\\')}`,
  'quotes nested': fill('> '),
  'quotes with lazy lines': fill('> - a\nb\n'),
  'quotes nested with lazy lines': fill('> 1. > - a\nb\n> c\n'),
  'lists nested': `${fill('- ')}x`,
  'lists ever deeper': Array.from({ length: 440 }, (_, index) => `${' '.repeat(index)}- a`).join('\n'),
  'tasks of one letter': fill('- [ ] a\n'),
  'list items far apart': fill('- a\n\n'),
  'tables whose columns do not match': fill('a|b|c\n-|-\n'),
  'a table without end': `|a|b|\n|-|-|\n${fill('|x|y|\n')}`,
  'a row without end': `|${fill('a|')}\n|${fill('-|')}\n`,
  'a row of columns that is none': `a|b\n${fill('|-')}x`,
  'tags cut off': fill('<a b="c" '),
  'comments never closed': fill('a <!-- '),
  'declarations never closed': fill('a <![CDATA[ <!A <? '),
  'addresses of dots': `http://${fill('a.')}`,
  'addresses of brackets': `http://a.b/${fill('(a)')}`,
  'mail addresses cut off': fill('a.b+c_d-'),
  'addresses of closing brackets': `http://a.b/${fill(')')}`,
  'addresses of dots that go on': `http://a.b/${fill('.')}c`,
  'addresses of references': `http://a.b/${fill('&a;')}`,
  'mail addresses of names': `a@${fill('a.')}_`,
  'strikes never closed': fill('~a ~~b '),
  'headings of one letter': fill('a\n-\n'),
  'rules that are none': `${fill('- ')}x\n\n${fill('*')}x`,
  hashes: `# ${fill('#')}`,
  'spaces inside': `a${fill(' ')}b`,
  backslashes: fill('\\'),
  'fences of one line': fill('```\n'),
  'code without end': `\`\`\`\n${fill('a\n')}`,
  'indented code': fill('    a\n\n'),
  'marks of every kind': fill('*_~`[<&\\!#>-'),
  'line ends of every kind': fill('\r\n\r'),
}

test.each(Object.entries(bombs))('[T15] %s', { timeout: 30_000 }, (_, text) => {
  let streamed: Blocks | undefined
  for (let end = 20_000; end <= text.length; end += 20_000) {
    const next = toBlocks(text.slice(0, end), { streaming: true, previous: streamed })
    render(next, streamed)
    streamed = next
  }
  const whole = toBlocks(text)
  const ended = toBlocks(text, { previous: streamed })
  expect(ended.all).toEqual(whole.all)
  expect(renderToString(h('div', null, render(whole)))).toContain('</')
})

/** The blocks that are not those shown before. */
function render({ all, links }: Blocks, before?: Blocks): ComponentChildren[] {
  const options = { strings: markdownEnglish, base: undefined, allowImage: () => false, onLink: () => {}, links }
  return all
    .filter((block, index) => block !== before?.all[index])
    .map(({ block, isOpen }) => renderBlock(block, { ...options, isOpen }))
}

function fill(part: string): string {
  return part.repeat(Math.ceil(length / part.length)).slice(0, length)
}
