/** A copy of a value that is fit to leave: plain JSON, without anything that looks like a secret. */

const hidden = '[redacted]'
const secretNames = 'authorization|cookie|passw(?:or)?d|secret|api[-_]?key|token|private[-_]?key'
/** `clientSecret` and `x-api-key` as well. */
const secretKey = new RegExp(`(?:${secretNames})$`, 'i')
/** `password=…` and `"apiKey": "…"` inside of text: a tool's result is text. */
const secretPair = new RegExp(`((?:${secretNames})"?\\s*[:=]\\s*)("(?:[^"\\\\]|\\\\.)*"|[^\\s,;&}"']+)`, 'gi')
/** Keys of providers and hosts, and tokens. */
const secretText =
  /\b(?:(?:sk[-_]|gsk_|xai-|AIza|gh[pousr]_|github_pat_|xox[abpr]-|AKIA)[\w-]{8,}|Bearer\s+[\w.~+/=-]{8,}|eyJ[\w-]{8,}\.[\w-]+\.[\w-]+)/g

export function scrub(value: unknown, within: readonly unknown[] = []): unknown {
  if (typeof value === 'string') return scrubText(value)
  if (typeof value === 'bigint') return String(value)
  if (typeof value === 'function' || typeof value === 'symbol') return undefined
  if (typeof value !== 'object' || value === null) return value
  if (within.includes(value)) return '[circular]'
  const inside = [...within, value]
  if (Array.isArray(value)) return value.map((item) => scrub(item, inside))
  if ('toJSON' in value && typeof value.toJSON === 'function') return scrub(value.toJSON(), inside)
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, secretKey.test(key) ? hidden : scrub(item, inside)]),
  )
}

export function scrubText(text: string): string {
  const withoutPairs = text.replace(
    secretPair,
    (_all, name: string, secret: string) => name + (secret.startsWith('"') ? `"${hidden}"` : hidden),
  )
  return withoutPairs.replace(secretText, hidden)
}
