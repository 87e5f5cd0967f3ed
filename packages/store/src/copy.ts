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
  const result: Record<string, unknown> = {}
  for (const key of Object.keys(value)) {
    // Assigning it would set the copy's prototype to what a model wrote.
    if (key === '__proto__') throw notPlain
    result[key] = copyPlain((value as Record<string, unknown>)[key])
  }
  return result
}

const notPlain = new Error('not plain data')
