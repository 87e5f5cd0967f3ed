/** Values as OTLP writes them in JSON: attributes with their type, ids in hex, times in nanoseconds. */

export interface Attribute {
  readonly key: string
  readonly value: AttributeValue
}

type AttributeValue =
  | { readonly stringValue: string }
  | { readonly intValue: string }
  | { readonly doubleValue: number }
  | { readonly boolValue: boolean }

export function prefixed(details: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return Object.fromEntries(Object.entries(details).map(([key, value]) => [`dogear.${key}`, value]))
}

export function timesOf(timestamp: string, durationMs: number): { startTimeUnixNano: string; endTimeUnixNano: string } {
  const start = Date.parse(timestamp)
  return { startTimeUnixNano: nanoOf(start), endTimeUnixNano: nanoOf(start + durationMs) }
}

/** As text: nanoseconds are more than a number can hold. */
export function nanoOf(ms: number): string {
  return `${Math.max(0, Math.round(ms))}000000`
}

export function attributesOf(values: Readonly<Record<string, unknown>>): Attribute[] {
  return Object.entries(values).flatMap(([key, value]) => {
    const held = valueOf(value)
    return held ? [{ key, value: held }] : []
  })
}

function valueOf(value: unknown): AttributeValue | undefined {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  if (typeof value !== 'number') return undefined
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}

/** Made of the session's id: what is sent twice is the same trace. */
export function traceIdOf(sessionId: string): string {
  return hexOf(sessionId, 4)
}

export function spanIdOf(sessionId: string, id: string): string {
  return hexOf(`${sessionId} ${id}`, 2)
}

/** Eight hex digits a word. Not for secrets: only so that different names get different ids. */
function hexOf(text: string, words: number): string {
  return Array.from({ length: words }, (_, word) =>
    hash32(text, word + 1)
      .toString(16)
      .padStart(8, '0'),
  ).join('')
}

/** FNV-1a with the finish of MurmurHash3, begun differently for each word; never all zeros in practice. */
function hash32(text: string, seed: number): number {
  let hash = Math.imul(0x811c9dc5 ^ seed, 0x9e3779b1)
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
