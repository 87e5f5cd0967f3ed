/** A copy as IndexedDB would make it, at a fraction of the price of structuredClone for plain data. */
import { toStorageError } from './storage-error.ts'

export function copy<T>(value: T): T {
  try {
    return copyPlain(value) as T
  } catch {
    return copyAny(value)
  }
}

/** What is not plain: a cycle, a Date, bytes; and what cannot be stored at all, like a function. */
function copyAny<T>(value: T): T {
  try {
    return structuredClone(value)
  } catch (error) {
    throw toStorageError(error)
  }
}

function copyPlain(value: unknown): unknown {
  if (typeof value === 'function' || typeof value === 'symbol') throw notPlain
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(copyPlain)
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) throw notPlain
  // Spread, not built key by key: it keeps the shape, and makes a `__proto__` that a model wrote a key like any other.
  const result: Record<string, unknown> = { ...value }
  for (const key of Object.keys(result)) {
    const item = result[key]
    if (typeof item === 'object' || typeof item === 'function' || typeof item === 'symbol')
      result[key] = copyPlain(item)
  }
  return result
}

const notPlain = new Error('not plain data')
