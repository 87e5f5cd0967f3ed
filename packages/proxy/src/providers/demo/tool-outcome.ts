/** Reads a tool's result the way a person would: did it happen, was it declined, did it fail. */
import { isRecord, parseJson } from './transcript.ts'

export type ToolOutcome =
  | { readonly type: 'done'; readonly text: string }
  | { readonly type: 'rejected'; readonly comment: string }
  | { readonly type: 'failed'; readonly reason: string }

export function readOutcome(given: string): ToolOutcome {
  // The frame is for the model's eyes: a person who reads the answer would take it for a mistake.
  const [, result = given] = /^<untrusted>\n([^]*)\n<\/untrusted>\n/.exec(given) ?? []
  const [, comment] = /^Tool call rejected:\s*([^]*)$/.exec(result) ?? []
  if (comment !== undefined) return { type: 'rejected', comment: comment.trim() }
  const value = parseJson(result)
  if (isRecord(value) && (value.status === 'error' || typeof value.error === 'string'))
    return { type: 'failed', reason: describe(value.error ?? value.message ?? 'no reason given') }
  const [, reason] = /^(?:Error(?: executing tool)?|No result):\s*([^]*)$/.exec(result) ?? []
  if (reason !== undefined) return { type: 'failed', reason: shorten(reason) }
  return { type: 'done', text: describe(value ?? result) }
}

/** A value in one line: `hotel: Casa Aurora, nights: 2`. */
export function describe(value: unknown): string {
  if (Array.isArray(value)) return shorten(value.map(describe).join('; '))
  if (!isRecord(value)) return shorten(String(value))
  const fields = Object.entries(value).map(([name, field]) => `${name}: ${isRecord(field) ? '…' : describe(field)}`)
  return shorten(fields.join(', '))
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > 280 ? `${line.slice(0, 279)}…` : line
}
