/** Everything that may become of a field of a stored record. */
import type { Row } from './database-rows.ts'

export interface Damage {
  /** Of all rows. */
  readonly index: number
  readonly path: readonly string[]
  readonly how: keyof typeof hows
}

const remove = Symbol('remove')
const hows = {
  gone: () => remove,
  null: () => null,
  number: () => 7,
  negative: () => -1,
  fraction: () => 0.5,
  far: () => 1e300,
  text: () => 'text',
  huge: () => 'x'.repeat(100_000),
  list: () => [],
  object: () => ({}),
  nested: () => JSON.parse(`${'{"a":'.repeat(200)}1${'}'.repeat(200)}`) as unknown,
  polluting: () => JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}') as unknown,
}

/** Every field of every row, in every way. */
export function damagesOf(rows: readonly Row[]): Damage[] {
  return rows.flatMap(({ store, value }, index) =>
    pathsIn(value).flatMap((path) =>
      (Object.keys(hows) as Damage['how'][])
        .filter((how) => keepsKey(store, path, how))
        .map((how) => ({ index, path, how })),
    ),
  )
}

/** Every field of every type of record twice: gone, and in another way, each field in another one. */
export function eachFieldTwice(rows: readonly Row[], damages: readonly Damage[]): Damage[] {
  const fields = new Map<string, Damage[]>()
  for (const damage of damages) {
    const field = fieldOf(rows, damage)
    fields
      .set(field, fields.get(field) ?? [])
      .get(field)!
      .push(damage)
  }
  return [...fields.values()].flatMap(([gone, ...others], n) => [gone!, ...others.slice(n % others.length).slice(0, 1)])
}

export function nameOf(rows: readonly Row[], { index, path, how }: Damage): string {
  const { store, key } = rows[index]!
  return `${store} ${JSON.stringify(key)} ${path.join('.')} ${how}`
}

export function damagedRows(rows: readonly Row[], { index, path, how }: Damage): Row[] {
  const row = rows[index]!
  const value = damaged(row.value, path, hows[how]())
  return rows.toSpliced(index, 1, ...(value === remove ? [] : [{ ...row, value }]))
}

/** Where a row's key is in it: none is without, and with another it would be another row. */
const keys: Readonly<Record<string, readonly string[]>> = { sessions: ['id'], memory: ['scope', 'key'], rules: ['id'] }

function keepsKey(store: string, [field]: readonly string[], how: Damage['how']): boolean {
  return field === undefined ? how === 'gone' || !keys[store] : !keys[store]?.includes(field)
}

function pathsIn(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return [path]
  return [path, ...Object.entries(value).flatMap(([key, item]) => pathsIn(item, [...path, key]))]
}

function fieldOf(rows: readonly Row[], { index, path }: Damage): string {
  const { store, key, value } = rows[index]!
  const type = store === 'side' ? (key as string[])[0] : (value as { type?: string }).type
  return [store, type, ...path.map((part) => (isName(part) ? '*' : part))].join(' ')
}

/** An index, or an id by which something is found. */
function isName(part: string): boolean {
  return /\d/.test(part)
}

function damaged(value: unknown, [key, ...rest]: readonly string[], by: unknown): unknown {
  if (key === undefined) return by
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<string, unknown>
  const item = damaged(copy[key], rest, by)
  if (item !== remove) copy[key] = item
  else if (Array.isArray(copy)) copy.splice(Number(key), 1)
  else delete copy[key]
  return copy
}
