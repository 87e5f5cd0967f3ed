/** Recorded chat-completions streams, read whole, byte by byte, and cut off at many offsets. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { ModelEvent } from '@dogear/core'
import { createOpenAIModel } from '@dogear/models'
import { fakeClock } from '@dogear/testing'

const corpora = process.env['DOGEAR_CORPORA']

const recordings = corpora ? chatCompletions(join(corpora, 'streams')) : new Map<string, string[]>()

test(`recorded streams: ${corpora ? 'found' : 'not read, because DOGEAR_CORPORA names no folder'}`, () => {
  expect(recordings.size > 5).toBe(Boolean(corpora))
})

describe.each([...recordings.keys()])('%s', (name) => {
  const bytes = new TextEncoder().encode(toEventStream(recordings.get(name)!))

  test('read whole, it is a complete answer', async () => {
    const { answer, code } = await answerOf([bytes])
    expect(code).toBe('')
    expect(answer.finish).toMatch(/^(stop|tool-calls|length)$/)
    expect(answer.usage?.total).toBeGreaterThan(0)
    expect(answer).toMatchObject(said(recordings.get(name)!))
    for (const call of answer.calls) expect(() => JSON.parse(call.args) as unknown).not.toThrow()
  })

  test('read byte by byte, it is the same answer', async () => {
    const whole = await answerOf([bytes])
    const pieces = Array.from(bytes, (_, at) => bytes.subarray(at, at + 1))
    expect(await answerOf(pieces)).toEqual(whole)
  })

  test('[G8] cut off anywhere, it is the same answer or marked as cut, and no call is complete', async () => {
    const { answer: whole } = await answerOf([bytes])
    for (const offset of offsets(bytes.length)) {
      const { answer, code } = await answerOf([bytes.subarray(0, offset)])
      if (answer.finish) expect({ ...answer, usage: whole.usage }, `cut at ${offset}`).toEqual(whole)
      else {
        expect(code, `cut at ${offset}`).toBe('stream-cut')
        expect(whole.text.startsWith(answer.text) && whole.reasoning.startsWith(answer.reasoning)).toBe(true)
      }
    }
  })
})

function chatCompletions(folder: string): Map<string, string[]> {
  const all = readdirSync(folder).map((name) => [name, linesOf(join(folder, name))] as const)
  return new Map(all.filter(([, [first = '{}']]) => 'choices' in (JSON.parse(first) as object)))
}

function linesOf(path: string): string[] {
  return readFileSync(path, 'utf8').split('\n').filter(Boolean)
}

function toEventStream(lines: readonly string[]): string {
  return [...lines, '[DONE]'].map((line) => `data: ${line}\n\n`).join('')
}

/** Every offset of a small recording; of a large one about 300, and each near its end, where the ending is. */
function offsets(length: number): number[] {
  const step = length < 5000 ? 1 : Math.floor(length / 300)
  const spread = Array.from({ length: Math.floor(length / step) }, (_, turn) => turn * step)
  const last = Array.from({ length: Math.min(length, 100) }, (_, turn) => length - 1 - turn)
  return [...spread, ...last]
}

/** What a recording says, found without the code under test: plain text and plain calls are enough for that. */
function said(lines: readonly string[]): { text: string; calls: { name: string; args: string }[] } {
  const deltas = lines.flatMap((line) => (JSON.parse(line) as Recorded).choices.map(({ delta }) => delta))
  const texts = deltas.flatMap(({ content }) => (Array.isArray(content) ? content.map(({ text }) => text) : content))
  const calls = deltas.flatMap(({ tool_calls = [] }) => tool_calls.map((call) => call.function))
  return {
    text: texts.filter(Boolean).join(''),
    calls: calls.map(({ name, arguments: args }) => ({ name, args })),
  }
}

interface Recorded {
  choices: {
    delta: {
      content?: string | { text?: string }[]
      tool_calls?: { function: { name: string; arguments: string } }[]
    }
  }[]
}

/** An answer, and the code of the error it broke off with; '' when it ended. */
async function answerOf(pieces: readonly Uint8Array<ArrayBuffer>[]) {
  const events: ModelEvent[] = []
  const fetch = async () => new Response(bodyOf(pieces), { headers: { 'content-type': 'text/event-stream' } })
  const model = createOpenAIModel({ endpoint: '/v1', clock: fakeClock(), fetch })
  const { signal } = new AbortController()
  try {
    for await (const event of model.stream({ model: 'default', messages: [] }, { signal })) events.push(event)
  } catch (error) {
    return { answer: joined(events), code: (error as { code: string }).code }
  }
  return { answer: joined(events), code: '' }
}

/** One piece a read: a body that queues 300,000 pieces at once is slow by itself. */
function bodyOf(pieces: readonly Uint8Array<ArrayBuffer>[]): ReadableStream {
  let next = 0
  return new ReadableStream({
    pull(controller) {
      const piece = pieces[next++]
      if (piece) controller.enqueue(piece)
      else controller.close()
    },
  })
}

function joined(events: readonly ModelEvent[]) {
  const textOf = (type: 'text-delta' | 'reasoning-delta') =>
    events.map((event) => (event.type === type ? event.text : '')).join('')
  const argsOf = (index: number) =>
    events.map((event) => (event.type === 'call-delta' && event.index === index ? event.args : '')).join('')
  return {
    text: textOf('text-delta'),
    reasoning: textOf('reasoning-delta'),
    calls: events
      .filter((event) => event.type === 'call-start')
      .map(({ name, id, index }) => ({ name, id, args: argsOf(index) })),
    usage: events.find((event) => event.type === 'usage')?.usage,
    finish: events.find((event) => event.type === 'finish')?.reason,
  }
}
