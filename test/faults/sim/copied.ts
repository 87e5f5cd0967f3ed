/** A copy as between threads: what cannot be cloned fails here too. Of plain data, at a fraction of structuredClone's price. */

export function copied<T>(value: T): T {
  return copy(value) as T
}

function copy(value: unknown): unknown {
  if (typeof value === 'function' || typeof value === 'symbol') throw new Error(`${String(value)} could not be cloned.`)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(copy)
  if (Object.getPrototypeOf(value) !== Object.prototype) return structuredClone(value)
  const result: Record<string, unknown> = { ...value }
  for (const key of Object.keys(result)) {
    if (typeof result[key] === 'object' || typeof result[key] === 'function') result[key] = copy(result[key])
  }
  return result
}
