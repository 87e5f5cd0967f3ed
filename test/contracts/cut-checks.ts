/** Where streams are cut, and what must be true of a turn whose streams were. */
import { expect } from 'vitest'
import type { Cut, Loss, ServerKind, Told, Words } from './faulty-wire.ts'

/** Every offset of everything: minutes, not seconds. */
export const isEverything = Boolean(process.env['DOGEAR_ALL'])

export function cutsOf(length: number, stream: number, loss: Loss, step: number): Cut[] {
  return Array.from({ length: Math.ceil(length / step) }, (_, n) => ({ stream, byte: n * step, loss }))
}

/** Some at a time: a machine has only so many sockets. */
export async function inBatches<T, R>(all: readonly T[], size: number, run: (each: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  for (let from = 0; from < all.length; from += size)
    results.push(...(await Promise.all(all.slice(from, from + size).map(run))))
  return results
}

/** The words that were kept and marked where the answer had to be asked for again. */
export function expectAsUncut(kind: ServerKind, whole: Told, told: Told, cuts: readonly Cut[]): Words[] {
  const partial = told.words.filter(({ status }) => status === 'partial')
  const { end, ran, early, takenBack } = told
  expect({ cuts, end, ran, early, takenBack }).toEqual({
    cuts,
    end: whole.end,
    ran: whole.ran,
    early: [],
    takenBack: [],
  })
  expect({ cuts, words: told.words.filter((each) => !partial.includes(each)) }).toEqual({ cuts, words: whole.words })
  for (const { text, calls } of partial) {
    expect({ cuts, text }).toSatisfy(() => whole.words.some((each) => each.text.startsWith(text)))
    expect({ cuts, calls }).toEqual({ cuts, calls: [] })
  }
  if (kind === 'plain') {
    expect({ cuts, asked: told.asked }).toSatisfy(() => told.asked <= whole.asked + cuts.length)
    expect({ cuts, partial: partial.length }).toSatisfy(() => partial.length <= told.asked - whole.asked)
    return partial
  }
  expect({ cuts, asked: told.asked, partial }).toEqual({ cuts, asked: whole.asked, partial: [] })
  const isCounted = cuts.length === 1 && !isBeforeCost(whole, cuts[0]!)
  expect({ cuts, journal: entriesOf(told, isCounted) }).toEqual({ cuts, journal: entriesOf(whole, isCounted) })
  return partial
}

/** On a server without ids, where the body ended early: all words that had come are kept, and no more. */
export function expectKept(told: Told, { stream }: Cut, kept: readonly Words[]): void {
  const bytes = Buffer.from(told.streams[stream] ?? '', 'latin1').toString()
  const whole = [...bytes.matchAll(/^data: (\{.*\})$/gm)].flatMap(([, data = '']) => parsed(data))
  const deltas = whole.flatMap(({ choices }) => choices.map(({ delta }) => delta))
  const isEnded = whole.some(({ choices: [choice] }) => choice?.finish_reason)
  const text = deltas.map(({ content }) => content ?? '').join('')
  const isKept = !isEnded && (text !== '' || deltas.some(({ tool_calls }) => tool_calls))
  expect({ stream, bytes, kept: kept.map((each) => each.text) }).toEqual({ stream, bytes, kept: isKept ? [text] : [] })
}

interface Chunk {
  readonly choices: readonly {
    readonly delta: { readonly content?: string; readonly tool_calls?: unknown }
    readonly finish_reason: string | null
  }[]
}

function parsed(data: string): Chunk[] {
  try {
    return [JSON.parse(data) as Chunk]
  } catch {
    return []
  }
}

/** Between an answer's end and its cost: the answer is whole, and is not waited for again. */
function isBeforeCost(whole: Told, { stream, byte }: Cut): boolean {
  const bytes = whole.streams[stream] ?? ''
  return byte >= bytes.search(/"finish_reason":"/) && byte <= bytes.lastIndexOf('[DONE]')
}

function entriesOf({ journal }: Told, isCounted: boolean): unknown[] {
  return isCounted ? journal : journal.filter((entry) => (entry as { type: string }).type !== 'usage-add')
}
