/** What a session promises on a full disk: nothing begins whose end could not be written, nothing is lost, and it goes on. */
import { textOf } from '@dogear/core'
import { openMemoryStore } from '@dogear/store'
import { call, fakeClock, say, scriptedModel, smallDisk } from '@dogear/testing'
import { expect, test } from 'vitest'
import { device, until } from './device.ts'

const plenty = 10_000_000

test('[G10] no tool begins on a full disk; the turn waits for space and goes on by itself', async () => {
  const { disk, clock, session, turn, ran } = await payingOnAFullDisk()
  expect(ran).toEqual([])
  expect((await disk.entries('s1', 0)).some(({ type }) => type === 'tool-intent')).toBe(false)
  expect(session.connection.value.type).toBe('online')

  await clock.advance(5_000)
  expect([session.waiting.value, ran]).toEqual(['space', []])

  // Nobody says that there is room now.
  disk.room = plenty
  await clock.advance(5_000)
  expect(await turn).toMatchObject({ text: 'Paid.' })
  expect(ran).toEqual(['pay'])
  expect(session.waiting.value).toBeNull()
})

test('[G10] a person who presses Retry need not wait for the next try', async () => {
  const { disk, session, turn } = await payingOnAFullDisk()
  disk.room = plenty
  session.resume()
  expect(await turn).toMatchObject({ text: 'Paid.' })
})

test('[G10] what is there can be exported from a full disk', async () => {
  const { disk, tab, session } = await payingOnAFullDisk()
  disk.room = 0
  const whose = { agent: 'tester', sessionId: 's1' }
  const snapshot = await tab.client.ask({ type: 'export', ...whose })
  expect(snapshot).toMatchObject({ state: { messages: [{ content: 'pay' }] } })
  expect(await tab.client.ask({ type: 'raw', ...whose })).toMatchObject({ entries: await disk.entries('s1', 0) })
  expect(session.waiting.value).toBe('space')
})

test('[G10] [G3] the result of a call that had begun is written although the disk is full by then', async () => {
  const disk = smallDisk(openMemoryStore(), plenty)
  const here = device(disk)
  const receipt = 'receipt '.repeat(1_000)
  let ran = 0
  const tools = [
    {
      name: 'pay',
      func: () => {
        ran += 1
        disk.room = disk.used
        return receipt
      },
    },
  ]
  const model = scriptedModel([call('pay'), say('Paid.')])
  const session = await here.tab({ model, tools }).open()
  expect(await session.send('pay')).toMatchObject({ text: 'Paid.' })
  const results = (await disk.entries('s1', 0)).filter(({ type }) => type === 'tool-result')
  expect(results).toMatchObject([{ result: { status: 'complete', content: receipt } }])
  expect(ran).toBe(1)
})

test('[G10] with several calls at once each has its room, and their results keep their order', async () => {
  const disk = smallDisk(openMemoryStore(), plenty)
  const here = device(disk)
  let entered = 0
  let goOn = () => {}
  const all = new Promise<void>((resolve) => (goOn = resolve))
  const work = async () => {
    entered += 1
    if (entered === 3) {
      disk.room = disk.used
      goOn()
    }
    await all
    return 'x'.repeat(9_000)
  }
  const model = scriptedModel([[call('work'), call('work'), call('work')], say('Done.')])
  const session = await here.tab({ model, tools: [{ name: 'work', func: work }] }).open()
  const turn = session.send('go')
  await until(() => session.waiting.value === 'space' || session.status.value === 'idle')
  const entries = await disk.entries('s1', 0)
  expect(entries.flatMap((entry) => (entry.type === 'tool-result' ? entry.callId : []))).toEqual(
    entries.flatMap((entry) => (entry.type === 'tool-intent' ? entry.callId : [])),
  )
  disk.room = plenty
  session.resume()
  expect(await turn).toMatchObject({ text: 'Done.' })
})

test('[G10] a result does not wait behind a call that finds no room to begin', async () => {
  const disk = smallDisk(openMemoryStore(), plenty)
  const here = device(disk)
  let finish: (result: string) => void = () => {}
  const slow = new Promise<string>((resolve) => (finish = resolve))
  const model = scriptedModel([[call('slow'), call('quick'), call('quick')], say('Done.')])
  const tools = [
    { name: 'slow', func: () => slow },
    {
      name: 'quick',
      func: () => {
        // Its own result takes the room kept for it, so that there is none for another call.
        disk.room = disk.used
        return 'quick'
      },
    },
  ]
  const session = await here.tab({ model, tools, limits: { maxParallelTools: 2 } }).open()
  const turn = session.send('go')
  await until(() => session.waiting.value === 'space')
  finish('slow '.repeat(1_000))
  expect(await turn).toMatchObject({ text: 'Done.' })
  expect(session.messages.value.filter(({ role }) => role === 'tool')).toHaveLength(3)
})

test('[G10] deleting another session makes room, and the turn goes on', async () => {
  const disk = smallDisk(openMemoryStore(), plenty)
  const here = device(disk)
  const model = scriptedModel(({ messages }) => say(textOf(messages.at(-1)!) === 'long' ? 'x'.repeat(50_000) : 'short'))
  const tab = here.tab({ model })
  const old = await tab.open('old')
  await old.send('long')
  old.close()
  const session = await tab.open('new')
  await session.send('hello')
  disk.room = disk.used + 600
  const turn = session.send('again')
  await until(() => session.waiting.value === 'space')
  await tab.client.delete(session.agent, 'old')
  expect(await turn).toMatchObject({ text: 'short' })
})

test('[G10] room is kept only while a turn with calls is open', async () => {
  const here = device()
  const kept: number[] = []
  const look = async () => void kept.push((await here.store.sides('ballast', 's1')).length)
  const model = scriptedModel([[call('look'), call('look')], call('look'), say('Seen.')])
  const session = await here.tab({ model, tools: [{ name: 'look', func: look }] }).open()
  await session.send('look')
  expect(kept).toEqual([2, 2, 2])
  expect(await here.store.sides('ballast', 's1')).toEqual([])
})

/** A turn that waits for room to begin its call, on a clock that stands still. */
async function payingOnAFullDisk() {
  const clock = fakeClock()
  const disk = smallDisk(openMemoryStore(), plenty)
  const ran: string[] = []
  const model = scriptedModel((_request, n) => {
    if (n === 0) disk.room = disk.used + 1000
    return n === 0 ? call('pay') : say('Paid.')
  })
  const tools = [{ name: 'pay', func: () => void ran.push('pay') }]
  const tab = device(disk, { clock }).tab({ model, tools })
  const session = await tab.open()
  const turn = session.send('pay')
  await until(() => session.waiting.value === 'space')
  return { clock, disk, tab, session, turn, ran }
}
