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
  const long = leavesOf(args).filter((leaf) => isText(leaf) && isFolded(leaf))
  // Hashed, and files read.
  await vi.waitFor(
    () => {
      expect(box.querySelectorAll('.hash')).toHaveLength(long.length)
      expect(box.querySelector('[data-more]')).toBe(null)
    },
    { interval: 5 },
  )
  return box
}

function close(box: HTMLElement): void {
  render(null, box)
  box.remove()
}

/** Half a character has no bytes to hash: such a text is shown whole. */
function isFolded(text: string): boolean {
  return text.length > 600 && !/\p{Cs}/u.test(text)
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function namesOf(value: unknown): string[] {
  const parts = partsOf(value)
  if (!parts) return []
  const names = Object.prototype.toString.call(value) === '[object Object]' ? Object.keys(value as object) : []
  return [...names, ...parts.flatMap(namesOf)]
}

/** What a value holds; nothing for a leaf. */
function partsOf(value: unknown): readonly unknown[] | undefined {
  if (value instanceof Map) return [...value].flat()
  if (value instanceof Set) return [...value]
  const isPlain = ['[object Object]', '[object Array]'].includes(Object.prototype.toString.call(value))
  return isPlain ? Object.values(value as object) : undefined
}

/** What must be read of a leaf. */
async function told(leaf: unknown): Promise<string[]> {
  if (typeof leaf === 'number') return [Number.isFinite(leaf) ? leaf.toLocaleString(undefined, exact) : String(leaf)]
  if (typeof leaf === 'boolean') return [leaf ? 'Yes' : 'No']
  if (typeof leaf === 'bigint') return [`${leaf}n`]
  if (leaf instanceof Date) return [`${leaf.toJSON()}`]
  if (leaf instanceof RegExp) return [visibleText(leaf.source), leaf.flags]
  if (leaf instanceof File) return [visibleText(JSON.stringify(leaf.name)), leaf.type, (await leaf.bytes()).join(' ')]
  if (leaf instanceof Uint8Array) return [leaf.join(' ')]
  if (!isText(leaf)) return []
  if (!isFolded(leaf)) return [visibleText(leaf)]
  const length = `Show all ${leaf.length.toLocaleString()} characters`
  return [visibleText(leaf.slice(0, 400)), visibleText(leaf.slice(-100)), length, await sha256(leaf)]
}

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

function leavesOf(value: unknown): unknown[] {
  return partsOf(value)?.flatMap(leavesOf) ?? [value]
}

/** Also halves of a character. */
const codeUnit = fc
  .oneof(fc.nat(0xffff), fc.integer({ min: 0xd800, max: 0xdfff }))
  .map((code) => String.fromCharCode(code))
/** Long enough to be folded; they differ where nobody sees it. */
const longText = fc
  .tuple(fc.string({ unit: 'grapheme', maxLength: 5 }), fc.string({ unit: codeUnit, maxLength: 5 }), fc.nat(3))
  .map(([head, middle, more]) => head + 'x'.repeat(600 + more) + middle + 'x'.repeat(200) + '\u200bend')
const text = fc.oneof(
  longText,
  fc.string({ unit: codeUnit, maxLength: 30 }),
  fc.constantFrom('', '3', 'Yes', 'none', '"', '[]', '{}', ' a', 'a ', '⟨U+200B⟩', '\u200b', '-1.5', 'e\u0301', 'é'),
)
const key = fc.oneof(fc.constantFrom('hotel', 'Hotel', 'check_in', 'checkIn', '1', '__proto__', '"hotel"', 'a b'), text)
const json = fc.jsonValue({ stringUnit: 'grapheme', maxDepth: 3 })
/** What a schema may turn arguments into. */
const turned = fc.oneof(
  fc.bigInt(),
  fc.date({ noInvalidDate: false }),
  fc.double(),
  fc.constantFrom(/a/, /a/g, /[/"]/u, /\u200b/, new RegExp('\u200b'), new RegExp('')),
  fc.uint8Array({ maxLength: 20 }),
  fc.tuple(fc.uint8Array({ maxLength: 20 }), fc.string({ maxLength: 5 })).map(([bytes, name]) => fileOf(bytes, name)),
)
const inner = fc.oneof(fc.jsonValue({ maxDepth: 1 }), turned)
const held = fc.oneof(
  json,
  text,
  turned,
  fc.array(inner, { maxLength: 3 }).map((items) => new Set(items)),
  fc.array(fc.tuple(inner, inner), { maxLength: 3 }).map((pairs) => new Map(pairs)),
)
const args = fc.dictionary(key, held, { maxKeys: 5 })

function fileOf(bytes: Uint8Array<ArrayBuffer>, name: string, type = 'text/plain'): File {
  const file = new File([bytes], name, { type, lastModified: 0 })
  fileTexts.set(file, JSON.stringify([name, type, [...bytes]]))
  return file
}
/** All of a file, which can only be read later. */
const fileTexts = new WeakMap<Blob, string>()

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

function longWith(middle: string): string {
  return 'x'.repeat(500) + middle + 'x'.repeat(500)
}

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
  [{ hotel: longWith('\ud800') }, { hotel: longWith('\ud801') }],
  [{ hotel: longWith('\ud800') }, { hotel: longWith('\ufffd') }],
  [{ hotel: longWith('a') }, { hotel: longWith('b') }],
])('[T5] %o does not look like %o', async (one, other) => {
  expect(pictureOf(await shown(one))).not.toBe(pictureOf(await shown(other)))
})

test('[T5] nothing that a schema may make of arguments looks like anything else', async () => {
  const bytes = new Uint8Array([1, 2])
  const values = [
    ...['', '12', '12n', '-12n', 'NaN', 'Infinity', '⟨Set⟩ ', '⟨RegExp⟩ /a/', '/a/', 'none', '{}', '[]', 'undefined'],
    ...[12, 12n, -12n, NaN, Infinity, -Infinity, null, undefined, {}, []],
    ...[
      /a/,
      /a/g,
      new Date(0),
      new Date(1),
      new Date(NaN),
      '⟨Date⟩ 1970-01-01T00:00:00.000Z',
      '1970-01-01T00:00:00.000Z',
    ],
    ...[new Set(), new Map(), new Set(['ann']), new Set(['bob']), ['ann'], { 1: 'ann' }, { 'Item 1': 'ann' }],
    ...[
      new Map([['a', 1]]),
      new Map([['b', 1]]),
      new Map([['a', 2]]),
      [['a', 1]],
      { a: 1 },
      { 'Key 1': 'a', 'Value 1': 1 },
    ],
    ...[new Set([[]]), new Set([{}]), new Map([[{ a: 1 }, 1]]), new Map([[{ a: 2 }, 1]])],
    ...[
      bytes,
      new Int8Array(bytes),
      bytes.buffer,
      new DataView(bytes.buffer),
      [1, 2],
      new Float64Array([-0]),
      new Float64Array(1),
    ],
    ...[fileOf(bytes, 'a'), fileOf(bytes, 'b'), fileOf(bytes, 'a', 'text/html'), fileOf(new Uint8Array([1, 3]), 'a')],
    ...[new Blob([bytes]), new Blob(['other'])],
    ...[deep(new Set(['ann'])), deep(['ann']), deep(new Map([['ann', 1n]])), deep({ 1: 'ann' })],
  ]
  const pictures = new Map<string, unknown>()
  for (const value of values) {
    const box = await shown({ hotel: value })
    const picture = pictureOf(box)
    expect([value, pictures.get(picture)]).toEqual([value, undefined])
    pictures.set(picture, value)
    close(box)
  }
})

function deep(value: unknown): unknown {
  return Array.from({ length: 40 }).reduce((inner) => [inner], value)
}

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
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : String(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (value instanceof Map) return `Map${canonical([...value])}`
  if (value instanceof Set) return `Set${canonical([...value])}`
  if (value instanceof Date) return `Date${value.toJSON()}`
  if (value instanceof RegExp) return `RegExp${value}`
  if (value instanceof Uint8Array) return `Bytes${value.join()}`
  if (value instanceof File) return `File${fileTexts.get(value)}`
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return `{${entries.map(([name, each]) => `${JSON.stringify(name)}:${canonical(each)}`).join()}}`
}
