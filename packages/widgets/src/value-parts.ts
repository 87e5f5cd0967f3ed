/** What a value is made of, also where a schema has turned it into what JSON does not have. */

import type { Strings } from './strings.ts'

export interface Part {
  /** Of an object's part; those of others have a label instead. */
  readonly key?: string
  readonly label?: string
  readonly value: unknown
}

/** Nothing for a leaf, and for what is empty. */
export function partsOf(value: unknown, { parts }: Strings): readonly Part[] {
  if (value instanceof Set) return [...value].map((each, index) => ({ label: parts.item(index + 1), value: each }))
  if (value instanceof Map) {
    return [...value].flatMap(([key, each], index) => [
      { label: parts.key(index + 1), value: key },
      { label: parts.value(index + 1), value: each },
    ])
  }
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value) || value instanceof Blob) return []
  const isList = Array.isArray(value)
  return Object.entries(value).map(([key, each]) =>
    isList ? { label: String(Number(key) + 1), value: each } : { key, value: each },
  )
}

/** A leaf that is no text. What JSON does not have is named: a text that begins so is quoted. */
export function leafText(value: unknown, language?: string): string {
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value === 'number' && Number.isFinite(value)) {
    return value.toLocaleString(language, { maximumSignificantDigits: 21, useGrouping: false })
  }
  const kind = kindOf(value)
  if (kind === 'Number') return String(value)
  return jsonKinds.includes(kind) ? JSON.stringify(value) : `⟨${kind}⟩ ${contentOf(value)}`
}

export function contentOf(value: unknown): string {
  if (value instanceof Date) return value.toJSON()
  if (value instanceof ArrayBuffer) return contentOf(new Uint8Array(value))
  if (value instanceof DataView) return contentOf(new Uint8Array(value.buffer, value.byteOffset, value.byteLength))
  const isList = Symbol.iterator in Object(value)
  return isList ? Array.from(value as Iterable<unknown>, (each) => leafText(each, 'en')).join(' ') : String(value)
}

/** All of a value in one text; no two have the same. */
export function exactText(value: unknown, strings: Strings): string {
  const parts = partsOf(value, strings)
  if (parts.length === 0) return typeof value === 'string' ? JSON.stringify(value) : leafText(value, 'en')
  const texts = parts.map(
    ({ key, label, value: each }) => `${label ?? JSON.stringify(key)}: ${exactText(each, strings)}`,
  )
  return `{${texts.join(', ')}}`
}

/** Whether a form can show it as JSON, and read it back. */
export function isJson(value: unknown, strings: Strings): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  if (value === undefined) return true
  return jsonKinds.includes(kindOf(value)) && partsOf(value, strings).every((part) => isJson(part.value, strings))
}

const jsonKinds = ['Null', 'String', 'Boolean', 'Array', 'Object']

export function kindOf(value: unknown): string {
  return Object.prototype.toString.call(value).slice(8, -1)
}
