/** Two renderings of the same markdown, made comparable: what the words are inside of, without how it is styled. */

import { h } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { toBlocks } from '../../packages/widgets/src/markdown/blocks.ts'
import { safeUrl } from '../../packages/widgets/src/markdown/link-target.ts'
import { markdownEnglish } from '../../packages/widgets/src/markdown/markdown-strings.ts'
import { renderBlock } from '../../packages/widgets/src/markdown/render-block.tsx'

/** Stands for the page, so that the spec's relative links lead somewhere. */
const base = 'https://page.test/'

export function structureOfOurs(markdown: string): string {
  const { all, links } = toBlocks(markdown)
  const options = { strings: markdownEnglish, base, allowImage: () => false, onLink: () => {}, links, isOpen: false }
  const html = all.map(({ block }) => renderToString(h('div', null, renderBlock(block, options))))
  return structure(html.map((block) => block.slice('<div>'.length, -'</div>'.length)).join(''))
}

export function structureOfSpec(html: string): string {
  return structure(html.replaceAll('\n</code></pre>', '</code></pre>'))
}

/** True when the spec passes tags of the source on as they are: ours are shown as text. */
export function holdsRawHtml(markdown: string, html: string): boolean {
  return [...markdown.matchAll(/<[a-z/!?][^>]*>?/gi)].some(([tag]) => html.includes(tag))
}

function structure(html: string): string {
  const parts: string[] = []
  const links: boolean[] = []
  let inCode = false
  for (const [part] of withoutDecoration(html).matchAll(/<[^>]*>|[^<]+/g)) {
    const tag = /^<(\/?)(\w+)(.*?)\/?>$/s.exec(part)
    if (!tag) {
      parts.push(inCode ? decode(part) : decode(part).replace(/\s+/g, ' '))
      continue
    }
    const [, slash = '', name = '', attributes = ''] = tag
    if (name === 'pre') inCode = slash === ''
    if (name === 'a') {
      const isKept = slash ? links.pop() === true : allowed(attributes)
      if (!slash) links.push(isKept)
      if (!isKept) continue
    }
    // Inside a link an image is its words: a button cannot be there.
    if (name === 'img' && links.includes(true)) parts.push(attribute(attributes, 'alt') ?? '')
    else parts.push(`<${slash}${name}${slash ? '' : keptAttributes(attributes)}>`)
  }
  return tidy(parts.join(''))
}

/** Our own rows around what the spec has too. */
function withoutDecoration(html: string): string {
  return html
    .replace(/<h\d class="h(\d)" dir="auto">(.*?)<\/h\d>/gs, '<h$1>$2</h$1>')
    .replace(/<div class="code"><div class="code-head"><span>(.*?)<\/span>.*?<\/div><pre[^>]*><code>/gs, codeStart)
    .replaceAll('</code></pre></div>', '</code></pre>')
    .replace(/<div class="table"[^>]*>|(?<=<\/table>)<\/div>/g, '')
    .replace(/<span class="image">(?:<span>(.*?)<\/span>)?<span class="note">.*?<\/span><\/span>/gs, '<img alt="$1"/>')
    .replace(/<span class="task( done)?"[^>]*><\/span>/g, '<input$1>')
    .replace(/<input[^>]*checked[^>]*>/g, '<input done>')
    .replace(/<input disabled[^>]*>/g, '<input>')
    .replace(/<bdi class="host">.*?<\/bdi>/gs, '')
    .replace(/<(t[hd]) class="(left|right|center)"/g, '<$1 align="$2"')
}

function codeStart(_: string, language: string): string {
  return language === markdownEnglish.code ? '<pre><code>' : `<pre><code class="language-${language}">`
}

function allowed(attributes: string): boolean {
  return safeUrl(attribute(attributes, 'href') ?? '', base) !== undefined
}

function keptAttributes(attributes: string): string {
  const kept = ['title', 'alt', 'start', 'align'].flatMap((name) => {
    const value = attribute(attributes, name)
    return value === undefined || (name === 'title' && attributes.includes('src=')) ? [] : [`${name}=${value}`]
  })
  const language = attribute(attributes, 'class')?.startsWith('language-') ? [attribute(attributes, 'class')] : []
  const href = attribute(attributes, 'href')
  const address = href === undefined ? [] : [`href=${safeUrl(href, base)?.href.replace(/%5[BD]/g, decodeURIComponent)}`]
  return [...kept, ...language, ...address, /\sdone$/.test(attributes) ? 'done' : '']
    .filter(Boolean)
    .map((each) => ` ${each}`)
    .join('')
}

function attribute(attributes: string, name: string): string | undefined {
  const value = new RegExp(`\\b${name}="([^"]*)"`).exec(attributes)?.[1]
  return value === undefined ? undefined : decode(value)
}

/** White space between blocks means nothing. */
function tidy(html: string): string {
  return html
    .replace(/\s*(<\/?(?:p|h\d|ul|ol|li|blockquote|pre|table|thead|tbody|tr|td|th|hr)\b[^>]*>)\s*/g, '$1')
    .replace(/\s*<br>\s*/g, '<br>')
    .trim()
}

function decode(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replace(/&#39;|&#x27;/g, "'")
    .replaceAll('&amp;', '&')
}
