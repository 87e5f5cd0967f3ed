import { expect, test } from 'vitest'
import type { ModelEvent, ModelOptions, ModelRequest } from '@dogear/core'
import { call, cut, end, fail, forever, pause, refuse, say, scriptedModel, think, usage } from './index.ts'
import type { ScriptedModel } from './index.ts'

test('an answer says, thinks and calls in the order it is written', async () => {
  const model = scriptedModel([[think('hm'), say('one', ' two'), call('book', { nights: 3 }), usage({ input: 5 })]])
  expect(await eventsOf(model)).toEqual([
    { type: 'reasoning-delta', text: 'hm' },
    { type: 'text-delta', text: 'one' },
    { type: 'text-delta', text: ' two' },
    { type: 'call-start', index: 0, name: 'book' },
    { type: 'call-delta', index: 0, args: '{"nights":3}' },
    { type: 'usage', usage: { input: 5, output: 0, total: 5, cachedInput: 0, reasoning: 0 } },
    { type: 'finish', reason: 'tool-calls' },
  ])
})

test('the same call written twice is two calls', async () => {
  const look = call('look', '{', { id: 'x' })
  const starts = (await eventsOf(scriptedModel([[look, look]]))).filter((event) => event.type === 'call-start')
  expect(starts.map((event) => event.index)).toEqual([0, 1])
})

test('each request takes the next answer and is remembered', async () => {
  const model = scriptedModel([say('first'), say('second')])
  await eventsOf(model)
  expect(textOf(await eventsOf(model, {}, { ...request, model: 'other' }))).toBe('second')
  expect(model.requests.map((each) => each.model)).toEqual(['default', 'other'])
})

test('a script may be a function of the request and its number', async () => {
  const model = scriptedModel((each, n) => say(`${each.model} ${n}`))
  expect(textOf(await eventsOf(model))).toBe('default 0')
  expect(textOf(await eventsOf(model))).toBe('default 1')
})

test('a script that is over says so', async () => {
  await expect(eventsOf(scriptedModel([]))).rejects.toMatchObject({ code: 'model-failed' })
})

test('an answer ends with the reason that follows from it, or with the one given', async () => {
  expect((await eventsOf(scriptedModel([refuse('no')]))).at(-1)).toEqual({ type: 'finish', reason: 'refusal' })
  expect((await eventsOf(scriptedModel([[say('on and'), end('length')]]))).at(-1)).toEqual({
    type: 'finish',
    reason: 'length',
  })
})

test('forever waits until it is stopped', async () => {
  const stop = new AbortController()
  const seen: ModelEvent[] = []
  const done = eventsOf(scriptedModel([[say('one'), forever]]), { signal: stop.signal }, request, seen)
  while (seen.length === 0) await Promise.resolve()
  stop.abort()
  await expect(done).rejects.toMatchObject({ code: 'aborted' })
  expect(textOf(seen)).toBe('one')
})

test('a pause goes on when its promise settles', async () => {
  const seen: ModelEvent[] = []
  const gate = new AbortController()
  const opened = new Promise((resolve) => gate.signal.addEventListener('abort', resolve))
  const done = eventsOf(scriptedModel([[say('one'), pause(opened), say(' two')]]), {}, request, seen)
  while (seen.length === 0) await Promise.resolve()
  expect(textOf(seen)).toBe('one')
  gate.abort()
  expect(textOf(await done)).toBe('one two')
})

test('a scripted failure carries its code and details', async () => {
  const model = scriptedModel([fail('rate-limited', { details: { status: 429 } })])
  await expect(eventsOf(model)).rejects.toMatchObject({ code: 'rate-limited', details: { status: 429 } })
})

test('a cut answer of a plain model is asked for anew', async () => {
  const model = scriptedModel([[say('one'), cut()], say('again')])
  await expect(eventsOf(model, { key: 'k' })).rejects.toMatchObject({ code: 'stream-cut' })
  await expect(eventsOf(model, { key: 'k', after: '1' })).rejects.toMatchObject({ details: { lost: true } })
  expect(textOf(await eventsOf(model, { key: 'k' }))).toBe('again')
})

test('a cut answer of a resumable model goes on after its cursor, as the same request', async () => {
  const model = scriptedModel([[say('one', ' two'), cut(), say(' three'), call('look')]], { resumable: true })
  const before: ModelEvent[] = []
  await expect(eventsOf(model, { key: 'k' }, request, before)).rejects.toMatchObject({ code: 'stream-cut' })
  const cursor = before.findLast((event) => event.type === 'cursor')
  const after = await eventsOf(model, { key: 'k', after: cursor?.after })
  expect(textOf(before) + textOf(after)).toBe('one two three')
  expect(after.at(-1)).toEqual({ type: 'finish', reason: 'tool-calls' })
  expect(model.requests).toHaveLength(1)
})

const request: ModelRequest = { model: 'default', messages: [] }

async function eventsOf(
  model: ScriptedModel,
  options: { [Option in keyof ModelOptions]?: ModelOptions[Option] } = {},
  asked = request,
  seen: ModelEvent[] = [],
): Promise<ModelEvent[]> {
  const signal = new AbortController().signal
  for await (const event of model.stream(asked, { signal, ...options })) seen.push(event)
  return seen
}

function textOf(events: readonly ModelEvent[]): string {
  return events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('')
}
