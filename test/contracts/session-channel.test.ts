/** What tabs hear over their channel is a hint: any script of the page's origin may say anything there. */
import { textOf } from '@dogear/core'
import { openMemoryStore } from '@dogear/store'
import { pause, say, scriptedModel } from '@dogear/testing'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { device, hastyClock, until } from './device.ts'

const types = ['appended', 'deleted', 'wake', 'joined', 'delta', 'partial', 'waiting', 'claim', 'yours', 'ping', 'pong']

const hostile = fc.oneof(
  fc.anything(),
  fc.record({ type: fc.constantFrom(...types, '__proto__', 'constructor', 'toString') }),
  fc.record(
    {
      type: fc.constantFrom(...types),
      host: fc.anything(),
      waiting: fc.anything(),
      partial: fc.anything(),
      delta: fc.oneof(
        fc.anything(),
        fc.record({
          stepId: fc.anything(),
          textAt: fc.anything(),
          text: fc.anything(),
          reasoningAt: fc.anything(),
          reasoning: fc.anything(),
          calls: fc.anything(),
        }),
      ),
    },
    { requiredKeys: ['type'] },
  ),
)

test('[T13] whatever is said on the channel, nothing throws and nothing changes that is true', async () => {
  const here = device(openMemoryStore(), { clock: hastyClock(20) })
  let go = () => {}
  const held = new Promise<void>((resolve) => (go = resolve))
  const model = scriptedModel([say('One.'), [say('Two'), pause(held), say('.')], say('Three.')])
  const unheard: unknown[] = []
  const listen = (error: unknown) => unheard.push(error)
  process.on('unhandledRejection', listen)
  const first = await here.tab({ model }).open()
  const second = await here.tab({ model }).open()
  const failures: unknown[] = []
  for (const { connection } of [first, second]) {
    connection.subscribe((now) => void (now.type === 'failed' && failures.push(now)))
  }
  await first.send('one')
  const turn = first.send('two')
  await until(() => second.partial.value?.text === 'Two')
  const epoch = (await here.store.session('s1'))!.epoch
  const stranger = here.transport.open('dogear::s1', () => {})
  await fc.assert(
    fc.asyncProperty(fc.array(hostile, { maxLength: 20 }), async (messages) => {
      for (const message of messages) {
        try {
          stranger.post(message)
        } catch {
          // What cannot be cloned cannot be posted either.
        }
      }
      await new Promise((resolve) => setImmediate(resolve))
    }),
    { numRuns: 300 },
  )
  go()
  expect(await turn).toMatchObject({ text: 'Two.' })
  await until(() => second.messages.value.length === 4, 'the follower shows the end')
  for (const session of [first, second]) {
    expect(session.connection.value).toEqual({ type: 'online' })
    expect(session.messages.value.map((message) => textOf(message))).toEqual(['one', 'One.', 'two', 'Two.'])
  }
  expect((await here.store.session('s1'))!.epoch).toBe(epoch)
  expect(await second.send('three')).toMatchObject({ text: 'Three.' })
  process.off('unhandledRejection', listen)
  expect({ unheard, failures }).toEqual({ unheard: [], failures: [] })
  expect(Object.keys(Object.prototype)).toEqual([])
})

test('[T13] a session is emptied when the store says that it was deleted, not when somebody says so', async () => {
  const here = device()
  const first = await here.tab({ model: scriptedModel([say('One.'), say('Two.')]) }).open()
  await first.send('one')
  const stranger = here.transport.open('dogear::s1', () => {})
  stranger.post({ type: 'deleted' })
  expect(await first.send('two')).toMatchObject({ text: 'Two.' })
  expect(first.messages.value).toHaveLength(4)
})
