import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { fakeClock } from '@dogear/testing'
import { createOpenAIModel } from './index.ts'
import { delta, joined, read } from './sse.fixture.ts'

test('any text in any pieces, with any line ends, comments and a BOM, gives the same answer', async () => {
  await fc.assert(
    fc.asyncProperty(answers, framing, cuts, async ({ texts, args }, { eol, bom, comment, isDone }, sizes) => {
      const chunks = [
        ...texts.map((content) => delta({ content })),
        ...args.map((piece, at) =>
          delta({
            tool_calls: [
              { index: 0, ...(at === 0 && named), function: { ...(at === 0 && { name: 'look' }), arguments: piece } },
            ],
          }),
        ),
        delta({}, 'stop'),
      ]
      const events = chunks.map(
        (chunk) => `${comment ? `: still here${eol}` : ''}data: ${JSON.stringify(chunk)}${eol}${eol}`,
      )
      const body = `${bom ? '\uFEFF' : ''}${events.join('')}${isDone ? `data: [DONE]${eol}${eol}` : ''}`
      const answer = joined(await read(modelThatSends(split(new TextEncoder().encode(body), sizes))))
      expect(answer).toMatchObject({
        text: texts.join(''),
        finish: args.length > 0 ? 'tool-calls' : 'stop',
        calls: args.length > 0 ? [{ id: 'a', name: 'look', args: args.join('') }] : [],
      })
    }),
  )
})

const named = { id: 'a' }

/** Well-formed text only: a lone surrogate cannot be in UTF-8. */
const text = fc.string({ unit: 'binary', maxLength: 20 })
const answers = fc.record({ texts: fc.array(text, { maxLength: 8 }), args: fc.array(text, { maxLength: 5 }) })
const framing = fc.record({
  eol: fc.constantFrom('\n', '\r\n', '\r'),
  bom: fc.boolean(),
  comment: fc.boolean(),
  isDone: fc.boolean(),
})
const cuts = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 20 })

function split(bytes: Uint8Array<ArrayBuffer>, sizes: readonly number[]): Uint8Array<ArrayBuffer>[] {
  const pieces: Uint8Array<ArrayBuffer>[] = []
  for (let start = 0, turn = 0; start < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length]!
    pieces.push(bytes.subarray(start, start + size))
    start += size
  }
  return pieces
}

function modelThatSends(pieces: readonly Uint8Array<ArrayBuffer>[]) {
  const body = new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece)
      controller.close()
    },
  })
  const answer = async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  return createOpenAIModel({ endpoint: '/v1', clock: fakeClock(), fetch: answer })
}
