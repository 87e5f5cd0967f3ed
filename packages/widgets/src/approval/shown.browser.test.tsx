/** What is shown of a request, for any arguments: every leaf of them, and never the same for two that differ. */
import fc from 'fast-check'
import { render } from 'preact'
import { afterEach, expect, test, vi } from 'vitest'
import { WidgetRoot } from '../widget-root.tsx'
import { uiState } from '../ui-state.ts'
import { Modal } from '../requests/modal.tsx'
import { scriptedSession } from '../testing/scripted-session.ts'
import { approval } from '../testing/widget-states.ts'
import { visibleText } from '../visible-text.ts'

const boxes: HTMLElement[] = []
afterEach(() => boxes.splice(0).forEach(close))

const parameters = { type: 'object', properties: { hotel: { type: 'string' }, check_in: {}, checkIn: {} } }

/** The whole dialog, as a person gets it. */
async function shown(args: unknown): Promise<HTMLElement> {
  const box = document.createElement('div')
  document.body.append(box)
  boxes.push(box)
  render(
    <WidgetRoot session={scriptedSession()} memory={uiState({ agent: 'shown' })}>
      <Modal requests={[{ ...approval, args, parameters }]} />
    </WidgetRoot>,
    box,
  )
  const long = leavesOf(args).filter((leaf) => isText(leaf) && leaf.length > 600)
  if (long.length > 0) {
    await vi.waitFor(() => expect(box.querySelectorAll('.hash')).toHaveLength(long.length), { interval: 5 })
  }
  return box
}

function close(box: HTMLElement): void {
  render(null, box)
  box.remove()
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function namesOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  const names = Array.isArray(value) ? [] : Object.keys(value)
  return [...names, ...Object.values(value).flatMap(namesOf)]
}

/** What must be read of a leaf. */
async function told(leaf: unknown): Promise<string[]> {
  if (typeof leaf === 'number') return [leaf.toLocaleString(undefined, exact)]
  if (typeof leaf === 'boolean') return [leaf ? 'Yes' : 'No']
  if (!isText(leaf)) return []
  if (leaf.length <= 600) return [visibleText(leaf)]
  const length = `Show all ${leaf.length.toLocaleString()} characters`
  return [visibleText(leaf.slice(0, 400)), visibleText(leaf.slice(-100)), length, await sha256(leaf)]
}

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

function leavesOf(value: unknown): unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leavesOf) : [value]
}

/** Long enough to be folded; they differ where nobody sees it. */
const longText = fc
  .tuple(fc.string({ unit: 'grapheme', maxLength: 5 }), fc.string({ unit: 'binary', maxLength: 5 }), fc.nat(3))
  .map(([head, middle, more]) => head + 'x'.repeat(600 + more) + middle + 'x'.repeat(200) + '\u200bend')
const text = fc.oneof(
  longText,
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constantFrom('', '3', 'Yes', 'none', '"', '[]', '{}', ' a', 'a ', '⟨U+200B⟩', '\u200b', '-1.5', 'e\u0301', 'é'),
)
const key = fc.oneof(fc.constantFrom('hotel', 'Hotel', 'check_in', 'checkIn', '1', '__proto__', '"hotel"', 'a b'), text)
const args = fc.dictionary(
  key,
  fc.jsonValue({ stringUnit: 'grapheme', maxDepth: 3 }).chain((value) => fc.oneof(fc.constant(value), text)),
  { maxKeys: 5 },
)

test('[T5] for any arguments the dialog has every leaf and every name of them', async () => {
  await fc.assert(
    fc.asyncProperty(args, async (value) => {
      const box = await shown(value)
      const words = box.textContent
      for (const leaf of leavesOf(value)) {
        for (const part of await told(leaf)) expect(words).toContain(part)
      }
      for (const name of namesOf(value)) expect(words).toContain(name === 'hotel' ? 'Hotel' : visibleText(name))
      close(box)
    }),
    { numRuns: 300 },
  )
})

const exact = { maximumSignificantDigits: 21, useGrouping: false } as const

test('[T5] two different arguments never give the same dialog', async () => {
  await fc.assert(
    fc.asyncProperty(args, args, async (one, other) => {
      const same = canonical(one) === canonical(other)
      const [first, second] = [await shown(one), await shown(other)]
      expect(pictureOf(first) === pictureOf(second)).toBe(same)
      close(first)
      close(second)
    }),
    { numRuns: 300 },
  )
})

/** Pairs that look alike to a person, or to a careless program. */
test.each([
  [{ nights: 3 }, { nights: '3' }],
  [{ paid: true }, { paid: 'Yes' }],
  [{ note: null }, { note: 'none' }],
  [{ note: '' }, { note: '""' }],
  [{ list: [] }, { list: {} }],
  [{ list: [] }, { list: '[]' }],
  [{ list: ['a'] }, { list: { 1: 'a' } }],
  [{ hotel: 'a' }, { Hotel: 'a' }],
  [{ check_in: 1 }, { checkIn: 1 }],
  [{ hotel: 'a' }, { hotel: 'a ' }],
  [{ hotel: 'a\u200b' }, { hotel: 'a⟨U+200B⟩' }],
  [{ hotel: '\ud800' }, { hotel: '\ud801' }],
  [{ hotel: 'x'.repeat(500) + 'a' + 'x'.repeat(500) }, { hotel: 'x'.repeat(500) + 'b' + 'x'.repeat(500) }],
])('[T5] %o does not look like %o', async (one, other) => {
  expect(pictureOf(await shown(one))).not.toBe(pictureOf(await shown(other)))
})

test('[T5] long text is told by its head, its tail, its length and its hash', async () => {
  const box = await shown({ hotel: `first${'x'.repeat(2_000)}last` })
  expect(box.textContent).toContain('first')
  expect(box.textContent).toContain('last')
  expect(box.textContent).toContain('Show all 2,009 characters')
  const hash = await sha256(`first${'x'.repeat(2_000)}last`)
  expect(box.querySelector('.hash')!.textContent).toBe(`SHA-256 ${hash}`)
})

/** The words and where they stand; not the order of keys, in which equal arguments may differ. */
function pictureOf(box: Element): string {
  const values = box.querySelector('.matter > .values')
  return values ? part(values) : box.textContent
  function part(element: Element): string {
    if (element.localName !== 'dl') return element.textContent
    const rows = [...element.children].map((row) => {
      const [label, value] = row.children as unknown as [Element, Element]
      const inner = value.firstElementChild
      return `${label.textContent}→${inner?.localName === 'dl' ? `(${part(inner)})` : value.textContent}`
    })
    return rows.sort().join('\u0000')
  }
}

function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return Object.is(value, -0) ? '-0' : JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return `{${entries.map(([name, each]) => `${JSON.stringify(name)}:${canonical(each)}`).join()}}`
}
