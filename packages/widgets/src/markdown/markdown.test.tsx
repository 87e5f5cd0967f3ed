import { renderToString } from 'preact-render-to-string'
import { describe, expect, test } from 'vitest'
import { Markdown, type MarkdownProps } from './markdown.tsx'

describe('what a text becomes', () => {
  test.each([
    ['**a** *b* ~~c~~ `d`', '<p dir="auto"><strong>a</strong> <em>b</em> <del>c</del> <code>d</code></p>'],
    ['a  \nb', '<p dir="auto">a<br/>b</p>'],
    ['## Title', '<h3 class="h2" dir="auto">Title</h3>'],
    ['- a\n  1. b', '<ul><li dir="auto">a<ol><li dir="auto">b</li></ol></li></ul>'],
    ['3. c', '<ol start="3"><li dir="auto">c</li></ol>'],
    ['> a', '<blockquote><p dir="auto">a</p></blockquote>'],
    ['---', '<hr/>'],
    ['&lt;b&gt; &amp;amp; &copy;', '<p dir="auto">&lt;b> &amp;amp; ©</p>'],
  ])('%j', (text, html) => {
    expect(rendered({ text })).toBe(html)
  })

  test('a table scrolls in its own box, its columns aligned by class', () => {
    const html = rendered({ text: '| a | b |\n|:-:|--:|\n| c | d |' })
    expect(html).toContain('<div class="table" role="region" aria-label="Table" tabindex="0"><table>')
    expect(html).toContain('<th class="center" dir="auto">a</th><th class="right" dir="auto">b</th>')
    expect(html).toContain('<td class="right" dir="auto">d</td>')
    expect(html).not.toContain('style=')
  })

  test('a task says whether it is done', () => {
    const html = rendered({ text: '- [x] a\n- [ ] b' })
    expect(html).toContain('<span class="task done" role="img" aria-label="Done"></span>a')
    expect(html).toContain('<span class="task" role="img" aria-label="Not done"></span>b')
  })

  test('code has its language and a copy button', () => {
    const html = rendered({ text: '```ts title="x"\nlet a = 1 < 2\n```' })
    expect(html).toContain('<span>ts</span><button type="button">Copy</button>')
    expect(html).toContain('<code>let a = 1 &lt; 2</code>')
  })

  test('[T1] raw html is shown as it is written', () => {
    expect(rendered({ text: '<img src=x onerror=alert(1)>' })).toBe('<p dir="auto">&lt;img src=x onerror=alert(1)></p>')
    expect(rendered({ text: 'a <b onclick=x>c</b>' })).toBe('<p dir="auto">a &lt;b onclick=x>c&lt;/b></p>')
  })
})

describe('links', () => {
  test('[T2] open elsewhere and tell nothing about this page', () => {
    expect(rendered({ text: '[a](https://b.example "t")' })).toBe(
      '<p dir="auto"><a href="https://b.example/" title="t" target="_blank" rel="noopener noreferrer nofollow">a</a></p>',
    )
  })

  test.each([
    '[a](javascript:alert(1))',
    '[a](JAVASCRIPT&colon;alert(1))',
    '[a](&#106;avascript:alert(1))',
    '[a](data:text/html,x)',
    '[a][b]\n\n[b]: javascript:alert(1)',
    '<javascript:alert(1)>',
  ])('[T2] %j is its text', (text) => {
    expect(rendered({ text })).not.toContain('<a')
  })

  test('[T2] name their host when the text names another', () => {
    expect(rendered({ text: '[bank.example](https://evil.example)' })).toContain(
      '</a><bdi class="host">evil.example</bdi>',
    )
    expect(rendered({ text: 'https://bank.example' })).not.toContain('bdi')
  })
})

describe('images', () => {
  const text = '![a map](https://maps.example/1.png)'

  test('[T3] are not loaded, and not offered unless the page allows it', () => {
    expect(rendered({ text })).toBe(
      '<p dir="auto"><span class="image"><span>a map</span><span class="note">Image from maps.example – not loaded</span></span></p>',
    )
    const allowImage = (url: URL) => url.host === 'maps.example'
    expect(rendered({ text, allowImage })).toContain('<button type="button">Load image</button>')
    expect(rendered({ text, allowImage })).not.toContain('<img')
    expect(rendered({ text: '![x](https://other.example/1.png)', allowImage })).not.toContain('button')
  })

  test('[T3] by reference are no exception, nor inside a link', () => {
    expect(rendered({ text: '![a][b]\n\n[b]: https://evil.example/?secret' })).not.toContain('<img')
    expect(rendered({ text: '[![alt](https://a.example/1)](https://b.example)' })).toContain('>alt</a>')
  })

  test('[T3] with an address that is none are their words', () => {
    expect(rendered({ text: '![a](data:image/png,x)' })).toBe('<p dir="auto">a</p>')
  })
})

describe('a streaming end', () => {
  test.each([
    ['plain words', 'plain words'],
    ['a **bold', 'a <strong>bold</strong>'],
    ['a **bold*', 'a <strong>bold</strong>'],
    ['a **bold**', 'a <strong>bold</strong>'],
    ['a **', 'a '],
    ['an *em with **both', 'an <em>em with <strong>both</strong></em>'],
    ['***all', '<em><strong>all</strong></em>'],
    ['~~gone', '<del>gone</del>'],
    ['`code * with', '<code>code * with</code>'],
    ['some `', 'some '],
    ['trailing **space ', 'trailing <strong>space</strong>'],
    ['see **[the docs](https://exam', 'see <strong>the docs</strong>'],
    ['2 * 3 and snake_case', '2 * 3 and snake_case'],
    ['an escaped \\*star', 'an escaped *star'],
    ['a `*` b', 'a <code>*</code> b'],
  ])('%j shows its open marks as closed', (text, html) => {
    expect(rendered({ text, streaming: true })).toBe(`<p dir="auto">${html}</p>`)
  })

  test.each([
    ['- item *em', '<em>em</em>'],
    ['> quoted **b', '<strong>b</strong>'],
    ['| a |\n|---|\n| **b', '<strong>b</strong>'],
  ])('%j shows them also where blocks hold blocks', (text, html) => {
    expect(rendered({ text, streaming: true })).toContain(html)
    expect(rendered({ text })).not.toContain(html)
  })

  test('is as it is written once a block follows', () => {
    expect(rendered({ text: 'a **b\n\nnext', streaming: true })).not.toContain('<strong>')
    expect(rendered({ text: 'a **b\n\n```\nx\n', streaming: true })).not.toContain('<strong>')
    expect(rendered({ text: '- a **b\n- next', streaming: true })).not.toContain('<strong>')
  })

  test.each(['see https://a.exam', 'see **https://a.exam', 'write to a@b.exam'])(
    '[T2] %j is a link only when something follows it',
    (text) => {
      expect(rendered({ text, streaming: true })).not.toContain('<a')
      expect(rendered({ text: `${text}ple now`, streaming: true })).toContain('<a')
      expect(rendered({ text })).toContain('<a')
    },
  )

  test('uses a definition that came before it', () => {
    const text = '[docs]: https://a.example\n\nsee [docs] now'
    expect(rendered({ text, streaming: true })).toContain('href="https://a.example/"')
  })
})

describe('addresses in text', () => {
  test.each([
    ['https://a.example/b.', 'https://a.example/b'],
    ['(see www.a.example/b)', 'http://www.a.example/b'],
    ['https://a.example/b_(c)', 'https://a.example/b_(c)'],
    ['https://a.example/b?c&copy;', 'https://a.example/b?c'],
    ['_https://a.example_', 'https://a.example/'],
    ['a.b+c_d@e.example', 'mailto:a.b+c_d@e.example'],
    ['<tel@a.example>', 'mailto:tel@a.example'],
    ['<https://a.example/b c>', undefined],
    ['http://localhost', undefined],
    ['https://a_b.c_d', undefined],
    ['xhttps://a.example', undefined],
    ['git://a@b.example', undefined],
    ['a@b.c_', undefined],
  ])('%j leads to %j', (text, href) => {
    expect(/href="([^"]*)"/.exec(rendered({ text }))?.[1]).toBe(href)
  })

  test('are words in the words of a link', () => {
    expect(rendered({ text: '[see https://b.example](https://a.example)' }).match(/<a /g)).toHaveLength(1)
  })
})

test('[T15] marks and containers nested without end are shown as far as a page can hold them', () => {
  for (const text of ['> '.repeat(5_000), '- '.repeat(5_000), '*a **b '.repeat(2_000), '['.repeat(5_000)]) {
    for (const streaming of [false, true]) expect(rendered({ text: `${text}end`, streaming })).toContain('end')
  }
})

describe('marks', () => {
  const text = 'one\n\ntwo\n\nthree'
  const marked = (marks: number[], more: Partial<MarkdownProps> = {}) =>
    rendered({ text, marks, renderMark: (offset) => <i>{offset}</i>, ...more }).replaceAll(' dir="auto"', '')

  test('stand before the block that holds them', () => {
    expect(marked([6])).toBe('<p>one</p><i>6</i><p>two</p><p>three</p>')
    expect(marked([3])).toBe('<p>one</p><i>3</i><p>two</p><p>three</p>')
    expect(marked([0, 12])).toBe('<i>0</i><p>one</p><p>two</p><i>12</i><p>three</p>')
    expect(marked([0], { text: '', streaming: true })).toBe('<i>0</i>')
  })

  test('stand before the word that holds them inside a paragraph, and before anything else as a whole', () => {
    expect(marked([9], { text: 'one two three' })).toBe('<p>one two</p><i>9</i><p>three</p>')
    expect(marked([2, 9], { text: 'one two three' })).toBe('<i>2</i><p>one two</p><i>9</i><p>three</p>')
    expect(marked([9], { text: '- one two three' })).toBe('<i>9</i><ul><li>one two three</li></ul>')
  })

  test('wait for the words that follow while the text streams', () => {
    expect(marked([15], { streaming: true })).not.toContain('<i>')
    expect(marked([15])).toBe('<p>one</p><p>two</p><p>three</p><i>15</i>')
    expect(marked([15], { streaming: true, text: `${text} more` })).toBe(
      '<p>one</p><p>two</p><p>three</p><i>15</i><p>more</p>',
    )
  })

  test('count line ends as the text has them', () => {
    expect(marked([7], { text: 'one\r\n\r\ntwo' })).toBe('<p>one</p><i>7</i><p>two</p>')
  })
})

function rendered(props: MarkdownProps): string {
  return renderToString(<Markdown {...props} />).replace(/^<div class="markdown">(.*)<\/div>$/s, '$1')
}
