/** Reads JSON that is still being written: as much of the value as is there. */

/** Undefined while nothing of it can be said. */
export function readPartialJson(text: string): unknown {
  let at = 0

  function value(depth: number): unknown {
    skip(/\s*/y)
    const first = text[at]
    if (first === '"') return string()
    if (first === '{') return depth ? Object.fromEntries(items('}', () => member(depth - 1))) : undefined
    if (first === '[') return depth ? items(']', () => [value(depth - 1)]).flatMap(defined) : undefined
    return literal(skip(/[^\s,\]}]*/y))
  }

  function items<T>(close: string, item: () => T | undefined): T[] {
    const found: T[] = []
    at += 1
    for (;;) {
      skip(/[\s,]*/y)
      if (at >= text.length || text[at] === close) break
      const from = at
      const next = item()
      if (next !== undefined) found.push(next)
      if (at === from) break
    }
    at += 1
    return found
  }

  function member(depth: number): [string, unknown] | undefined {
    if (text[at] !== '"') return undefined
    const key = string()
    skip(/[\s:]*/y)
    const item = value(depth)
    return item === undefined ? undefined : [key, item]
  }

  function string(): string {
    const raw = skip(/"(?:[^"\\]|\\(?:u[\da-fA-F]{4}|[^u]))*/y)
    // A half-written escape is left for the next time.
    skip(/\\u?[\da-fA-F]*$/y)
    at += 1
    const read = literal(`${raw}"`)
    return typeof read === 'string' ? read : raw.slice(1)
  }

  function skip(pattern: RegExp): string {
    pattern.lastIndex = at
    const found = pattern.exec(text)?.[0] ?? ''
    at += found.length
    return found
  }

  return value(100)
}

function literal(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function defined([item]: readonly unknown[]): unknown[] {
  return item === undefined ? [] : [item]
}
