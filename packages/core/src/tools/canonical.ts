/** One text for equal arguments, whatever the order of their keys: what an approval is bound to. */
import type { Hash } from '../ports/hash.ts'

export function argsHash(hash: Hash, tool: string, args: unknown): string {
  return hash.sha256(canonicalText([tool, args]))
}

export function canonicalText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`
  if (typeof value !== 'object' || value === null) return plainText(value)
  // A schema may turn text into these, and as plain objects any two of them would look the same.
  if (value instanceof Date) return `Date(${value.getTime()})`
  if (value instanceof Map) return `Map${canonicalText([...value])}`
  if (value instanceof Set) return `Set${canonicalText([...value])}`
  const entries = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonicalText(item)}`).join(',')}}`
}

function plainText(value: unknown): string {
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value)
  return JSON.stringify(value) ?? 'null'
}
