/** The Model port, on each model there is: a script, and the wire through the proxy. */
import { describe, expect, test } from 'vitest'
import type { Model, ModelEvent, ModelOptions } from '@dogear/core'
import { createOpenAIModel } from '@dogear/models'
import { createProxy, type Provider } from '@dogear/proxy'
import { call, fakeClock, forever, say, scriptedModel, type Answer, type Beat } from '@dogear/testing'

const models: [string, (answer: Answer) => Model][] = [
  ['a script', (answer) => scriptedModel([answer], { resumable: true })],
  ['the wire and the proxy', proxied],
]

describe.each(models)('a model of %s', (_, modelThat) => {
  test('ends with finish, and only then', async () => {
    const events = await read(modelThat([say('one', ' two')]))
    expect(textOf(events)).toBe('one two')
    expect(events.filter((event) => event.type === 'finish')).toEqual([{ type: 'finish', reason: 'stop' }])
    expect(events.at(-1)?.type).toBe('finish')
  })

  test('starts a call before its arguments, and ends with tool-calls', async () => {
    const events = await read(modelThat([say('look'), call('find', { q: 1 }), call('find', { q: 2 })]))
    const calls = events.filter((event) => event.type === 'call-start' || event.type === 'call-delta')
    expect(calls).toMatchObject([
      { type: 'call-start', index: 0, name: 'find' },
      { type: 'call-delta', index: 0, args: '{"q":1}' },
      { type: 'call-start', index: 1, name: 'find' },
      { type: 'call-delta', index: 1, args: '{"q":2}' },
    ])
    expect(events.at(-1)).toEqual({ type: 'finish', reason: 'tool-calls' })
  })

  test('throws aborted when it is stopped in mid-answer', async () => {
    const stop = new AbortController()
    const seen: ModelEvent[] = []
    const reading = read(modelThat([say('one'), forever]), { signal: stop.signal }, seen)
    while (textOf(seen) !== 'one') await new Promise(setImmediate)
    stop.abort()
    await expect(reading).rejects.toMatchObject({ code: 'aborted' })
    expect(seen.some((event) => event.type === 'finish')).toBe(false)
  })

  test('[G8] goes on after every one of its cursors without a word lost or repeated', async () => {
    const model = modelThat([say('one', ' two', ' three'), call('find', { q: 1 })])
    const whole = await read(model)
    const cursors = whole.filter((event) => event.type === 'cursor')
    expect(cursors.length).toBeGreaterThan(0)
    for (const cursor of cursors) {
      const before = whole.slice(0, whole.indexOf(cursor))
      const after = await read(model, { after: cursor.after })
      expect(textOf([...before, ...after])).toBe('one two three')
      expect(argsOf([...before, ...after])).toBe('{"q":1}')
      expect(after.at(-1)).toEqual({ type: 'finish', reason: 'tool-calls' })
    }
  })

  test('[G8] says that a stream nobody keeps is lost', async () => {
    const reading = read(modelThat(say('one')), { key: 'never asked', after: '1' })
    await expect(reading).rejects.toMatchObject({ code: 'stream-cut', details: { lost: true } })
  })
})

async function read(
  model: Model,
  options: { [Option in keyof ModelOptions]?: ModelOptions[Option] } = {},
  seen: ModelEvent[] = [],
): Promise<ModelEvent[]> {
  const given = { signal: new AbortController().signal, key: 's:t.1', ...options }
  for await (const event of model.stream({ model: 'default', messages: [hello] }, given)) seen.push(event)
  return seen
}

const hello = { id: 'u', role: 'user', content: 'hi', meta: { status: 'complete', createdAt: 0 } } as const

function textOf(events: readonly ModelEvent[]): string {
  return events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('')
}

function argsOf(events: readonly ModelEvent[]): string {
  return events.map((event) => (event.type === 'call-delta' ? event.args : '')).join('')
}

function proxied(answer: Answer): Model {
  const provider: Provider = {
    stream: async (_, signal) => chunksOf([answer].flat(2), signal),
    complete: async () => ({}),
  }
  const proxy = createProxy({ models: { default: { model: 'any', provider } } })
  return createOpenAIModel({
    endpoint: 'http://localhost/v1',
    clock: fakeClock(),
    fetch: (input, init) => proxy(new Request(input, init)),
  })
}

/** The same answer as a provider sends it. */
async function* chunksOf(beats: readonly Beat[], signal: AbortSignal): AsyncGenerator<object> {
  let index = 0
  for (const beat of beats) {
    if (beat.type === 'wait') await new Promise((resolve) => signal.addEventListener('abort', resolve))
    if (beat.type === 'text-delta') yield chunkOf({ content: beat.text })
    if (beat.type === 'call') {
      const { name, args } = beat
      yield chunkOf({ tool_calls: [{ index, id: `c${index}`, function: { name, arguments: args } }] })
      index += 1
    }
  }
  yield chunkOf({}, index > 0 ? 'tool_calls' : 'stop')
}

function chunkOf(delta: object, finish: string | null = null): object {
  return { choices: [{ index: 0, delta, finish_reason: finish }] }
}
