/** Recorded streams as the two answers of a turn, cut at many offsets, through a whole session on real HTTP. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { cutsOf, expectAsUncut, inBatches, isEverything } from '../contracts/cut-checks.ts'
import { tell, type Cut, type ServerKind, type Tape } from '../contracts/faulty-wire.ts'

const corpora = process.env['DOGEAR_CORPORA']

/** Every recording that speaks OpenAI's wire, a call before each text. */
const tapes = [
  ['mistral__mistral-tool-call', 'mistral__mistral-reasoning'],
  ['groq__groq-tool-call', 'xai__xai-text'],
  ['openai-compatible__xai-tool-call', 'openai__openai-text'],
  ['groq__groq-tool-call', 'deepseek__deepseek-text'],
  ['mistral__mistral-tool-call', 'groq__groq-reasoning'],
] as const

test.runIf(corpora)("no recording of OpenAI's wire is left out", () => {
  const all = readdirSync(join(corpora!, 'streams')).map((file) => file.replace('.chunks.txt', ''))
  const spoken = all.filter((name) => 'choices' in (chunksOf(name)[0] ?? {}))
  expect(new Set(tapes.flat())).toEqual(new Set(spoken))
})

describe.runIf(corpora).each<ServerKind>(['proxy', 'plain'])('on a %s server', (kind) => {
  test.each(tapes)(
    '[G7] [G8] %s, then %s: cut anywhere, the turn ends as if it had not been',
    async (...names) => {
      const tape = names.map(chunksOf) as unknown as Tape
      const whole = await tell(kind, tape)
      expect([whole.end?.error, whole.ran.length, whole.asked]).toEqual([undefined, 1, 2])
      const cuts = whole.streams.flatMap(({ length }, stream) => sampled(length, stream))
      await inBatches(cuts, 8, async (cut) =>
        expectAsUncut(kind, whole, await tell(kind, tape, { cuts: [cut] }), [cut]),
      )
    },
    3_600_000,
  )
})

/** When everything is asked for, every byte of a small recording and many of a large one; else some of each, and of its ending. */
function sampled(length: number, stream: number): Cut[] {
  const offsets = !isEverything ? 25 : length < 5000 ? length : 200
  const spread = cutsOf(length, stream, 'end', Math.max(1, Math.floor(length / offsets)))
  const ending = [1, 9, 20, 60, 150].map(
    (byte) => ({ stream, byte: Math.max(0, length - byte), loss: 'drop' }) as const,
  )
  return [...spread, ...ending]
}

function chunksOf(name: string): object[] {
  const lines = readFileSync(join(corpora!, 'streams', `${name}.chunks.txt`), 'utf8')
    .split('\n')
    .filter(Boolean)
  return lines.map((line) => JSON.parse(line) as object)
}
