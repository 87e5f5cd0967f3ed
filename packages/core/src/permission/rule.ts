/**
 * A rule: which calls of which tool are meant, as one line of text.
 *
 *   pay                        every call of pay; `mcp__*`: of every tool whose name begins so
 *   pay(to: acme-*)            to, and all that is in it, fits the glob; `*` is any characters
 *   fetch(url@*.example.com)   url is an http(s) address of such a host
 *   pay(amount = 1..100)       a number in the range; either end may be missing
 *   pay(to = "acme, inc")      exactly this JSON; `pay(= {…})`: all arguments are exactly this
 *
 * Terms are separated by commas, and all must hold. A field is a name, or names with dots between.
 */
import { DogearError } from '../error.ts'
import { canonicalText } from '../tools/canonical.ts'

export interface Rule {
  readonly tool: string
  readonly terms: readonly Term[]
}

export interface Term {
  readonly path: readonly string[]
  readonly operator: ':' | '@' | '='
  /** A glob, or the canonical text of JSON. */
  readonly value: string
  readonly range?: readonly [least: number, most: number]
}

export function parseRule(text: string): Rule {
  const [, tool = '', hasTerms, terms = ''] = /^([\w*-]+)(\(([^]*)\))?$/.exec(text.trim()) ?? []
  if (!tool) throw unreadable(text, 'it is not a name, or a name with terms in brackets')
  return { tool, terms: hasTerms ? parseTerms(text, terms) : [] }
}

/** `every`: for a rule that lets calls run, each value the field holds must fit; for one that holds them up, any. */
export function matches(rule: Rule, tool: string, args: unknown, every: boolean): boolean {
  return fitsGlob(rule.tool, tool) && rule.terms.every((term) => fitsTerm(term, args, every))
}

/** The narrow rule that lets a call like this one run: all of its arguments the same, or those of them that matter. */
export function ruleFor(tool: string, args: unknown, fields?: readonly string[]): string {
  if (!fields) return `${tool}(= ${jsonText(args)})`
  const terms = fields.map((field) => {
    const path = field.replace(/@$/, '')
    const value = valueAt(args, path.split('.'))
    const host = field === path ? '' : (hostOf(value) ?? '')
    // An address may have a * for its host, and this rule would be for all.
    return !/^[\w.-]+$/.test(host) ? `${path} = ${jsonText(value ?? null)}` : `${path}@${host}`
  })
  return terms.length ? `${tool}(${terms.join(', ')})` : tool
}

/** What a schema made that is no JSON, such as a big number or a pattern, is text here: such a rule fits not even its own call. */
function jsonText(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) => (isJson(item) ? item : typeof item))
}

function isJson(item: unknown): boolean {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return typeof item !== 'bigint'
  const prototype = Object.getPrototypeOf(item)
  return prototype === Object.prototype || prototype === null
}

function parseTerms(text: string, terms: string): Term[] {
  return splitTerms(text, terms).map((term) => {
    const [, path = '', operator = '', given = ''] = /^\s*([\w$.-]*)\s*([:@=])\s*([^]*?)\s*$/.exec(term) ?? []
    if (!operator || !given) throw unreadable(text, `"${term.trim()}" is not a field, one of : @ = and a value`)
    const at = { path: path ? path.split('.') : [], operator: operator as Term['operator'] }
    // A browser spells it xn--…, and a rule that denies it would never hold.
    if (operator === '@' && /[^ -~]/.test(given)) throw unreadable(text, `write the host ${given} as xn--…`)
    if (operator !== '=') return { ...at, value: given }
    const [, least, most] = /^(-?[\d.]*?)\.\.(-?[\d.]*)$/.exec(given) ?? []
    if (least === undefined || most === undefined) return { ...at, value: canonicalText(jsonOf(text, given)) }
    const range = [least ? Number(least) : -Infinity, most ? Number(most) : Infinity] as const
    if (!(range[0] <= range[1])) throw unreadable(text, `"${given}" is not a range of numbers`)
    return { ...at, value: '', range }
  })
}

/** By the commas that are in no text and no brackets. */
function splitTerms(text: string, terms: string): string[] {
  const found = ['']
  let depth = 0
  for (const [piece] of terms.matchAll(/"(?:[^"\\]|\\.)*"|[^]/g)) {
    if (piece === '"') throw unreadable(text, 'a " has no other')
    if (piece === '[' || piece === '{') depth += 1
    if (piece === ']' || piece === '}') depth -= 1
    if (piece === ',' && depth === 0) found.push('')
    else found[found.length - 1] += piece
  }
  if (depth !== 0) throw unreadable(text, 'a bracket has no other')
  return found
}

function jsonOf(text: string, given: string): unknown {
  try {
    return JSON.parse(given)
  } catch {
    throw unreadable(text, `${given} is neither JSON nor a range such as 1..100`)
  }
}

function unreadable(text: string, why: string): DogearError {
  return new DogearError('agent-invalid', `The rule ${JSON.stringify(text)} cannot be read: ${why}.`)
}

function fitsTerm({ path, operator, value, range }: Term, args: unknown, every: boolean): boolean {
  const found = valueAt(args, path)
  const isExact = operator === '=' && !range
  if (isExact && canonicalText(found) === value) return true
  const fits = (leaf: unknown) => {
    if (range) return isNumeric(leaf) && Number(leaf) >= range[0] && Number(leaf) <= range[1]
    if (isExact) return canonicalText(leaf) === value
    const text = operator === '@' ? hostOf(leaf) : leaf instanceof Date ? leaf.toISOString() : String(leaf)
    return text !== undefined && fitsGlob(operator === '@' ? value.toLowerCase() : value, text)
  }
  // Only what the path itself found several of: `to = "ann"` lets nobody write to ["ann", "ann"].
  const leaves = !isExact || !every ? leavesOf(found) : path.length > 1 && Array.isArray(found) ? found : []
  return every ? leaves.length > 0 && leaves.every(fits) : leaves.some(fits)
}

function isNumeric(leaf: unknown): boolean {
  return typeof leaf === 'number' || typeof leaf === 'bigint' || (typeof leaf === 'string' && leaf.trim() !== '')
}

/** Through a list, what each of its items holds there. */
function valueAt(value: unknown, [key, ...rest]: readonly string[]): unknown {
  if (key === undefined || typeof value !== 'object' || value === null) return key === undefined ? value : undefined
  if (Array.isArray(value)) return value.map((item) => valueAt(item, [key, ...rest]))
  return Object.hasOwn(value, key) ? valueAt((value as Record<string, unknown>)[key], rest) : undefined
}

function leavesOf(value: unknown): unknown[] {
  if (value === undefined) return []
  if (typeof value !== 'object' || value === null || value instanceof Date) return [value]
  return (value instanceof Map || value instanceof Set ? [...value] : Object.values(value)).flatMap(leavesOf)
}

/** As a browser reads it: an address that is read otherwise here than where it is fetched would pass for another's. */
function hostOf(value: unknown): string | undefined {
  // An object may have a `toString` of the model's own.
  const text = typeof value === 'string' ? value : ''
  // "//evil.net" is as much of a host's as "https://evil.net" is; "/x" is the page's own.
  const url = urlOf(text) ?? urlOf(text, `http://${nowhere}`)
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === nowhere) return undefined
  return url.hostname.replace(/\.$/, '')
}

const nowhere = 'x.invalid'

function urlOf(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base)
  } catch {
    return undefined
  }
}

/** Piece by piece: what a model wrote must not make a regular expression go back and forth for ever. */
function fitsGlob(glob: string, text: string): boolean {
  const [first = '', ...rest] = glob.split('*')
  const last = rest.pop()
  if (last === undefined) return text === first
  if (!text.startsWith(first)) return false
  let at = first.length
  for (const piece of rest) {
    const found = text.indexOf(piece, at)
    if (found < 0) return false
    at = found + piece.length
  }
  return text.length - last.length >= at && text.endsWith(last)
}
