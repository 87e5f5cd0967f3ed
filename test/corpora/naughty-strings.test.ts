/** Naughty strings as arguments and as their names: the whole dialog shows each of them, as text, and no two alike. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { h } from 'preact'
import { render } from 'preact-render-to-string'
import { describe, expect, test } from 'vitest'
import { Approval } from '../../packages/widgets/src/approval/approval.tsx'
import { Widget, type WidgetContext } from '../../packages/widgets/src/context.ts'
import { english } from '../../packages/widgets/src/strings.ts'
import { scriptedSession } from '../../packages/widgets/src/testing/scripted-session.ts'
import { approval } from '../../packages/widgets/src/testing/widget-states.ts'
import { uiState } from '../../packages/widgets/src/ui-state.ts'
import { visibleText } from '../../packages/widgets/src/visible-text.ts'

const corpora = process.env['DOGEAR_CORPORA']
const strings: readonly string[] = corpora
  ? JSON.parse(readFileSync(join(corpora, 'naughty-strings.json'), 'utf8'))
  : []

test(`naughty strings: ${corpora ? 'found' : 'not read, because DOGEAR_CORPORA names no folder'}`, () => {
  expect(strings.length > 400).toBe(Boolean(corpora))
})

describe.each(corpora ? ['a naughty string'] : [])('%s', () => {
  test('[T5] stands in the dialog, whole and as text', () => {
    for (const text of strings) {
      const words = wordsOf(shown({ hotel: text }))
      for (const part of partsOf(text)) expect(words).toContain(visibleText(part))
      expect(wordsOf(shown({ [text]: 'x' }))).toContain(visibleText(text))
    }
  })

  test('[T5] does not look like another one', () => {
    // What differs only in the middle of a long text is told by its hash, which a page draws later.
    const different = [...new Map(strings.map((text) => [partsOf(text).join(), text])).values()]
    expect(different.length).toBe(new Set(strings).size)
    expect(new Set(different.map((text) => shown({ hotel: text }))).size).toBe(different.length)
    expect(new Set(different.map((text) => shown({ [text]: 'x' }))).size).toBe(different.length)
  })

  test('[T5] is no markup: the only elements are those of the dialog', () => {
    for (const text of strings) {
      const names = [...shown({ hotel: text, [text]: text }).matchAll(/<(\w+)/g)].map(([, name]) => name!)
      expect(names.filter((name) => !drawn.has(name))).toEqual([])
    }
  })
})

/** What is shown of a text: all of it, or its ends and its length. */
function partsOf(text: string): string[] {
  return text.length <= 600 ? [text] : [text.slice(0, 400), text.slice(-100), text.length.toLocaleString()]
}

const drawn = new Set('form div h3 p dl dt dd mark span button details summary svg path blockquote'.split(' '))
const context = {
  strings: english,
  session: scriptedSession(),
  memory: uiState({ agent: 'naughty' }),
  components: {},
  debug: false,
  isRefused: false,
  emit: () => true,
} satisfies WidgetContext

function shown(args: object): string {
  const parameters = { type: 'object', properties: { hotel: { type: 'string' } } }
  const requests = [{ ...approval, args, parameters }]
  return render(h(Widget.Provider, { value: context }, h(Approval, { requests })))
}

function wordsOf(html: string): string {
  const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }
  return html.replace(/<[^>]*>/g, '').replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => entities[name]!)
}
