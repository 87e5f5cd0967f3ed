/** A session that its page has closed: its turn goes on, and once it rests its host gives back lock and memory. */
import { defineAgent, type Store } from '@dogear/core'
import { openMemoryStore } from '@dogear/store'
import { call, fakeClock, forever, say, scriptedModel } from '@dogear/testing'
import { expect, test } from 'vitest'
import { device, until, type Device } from './device.ts'

const minutes = 60_000

test('[O19] a session that rests and that no page shows is released after five minutes, and opens again as it was', async () => {
  const clock = fakeClock(Date.now())
  const phone = device(openMemoryStore(), { clock })
  const tab = phone.tab({ model: scriptedModel(() => say('Fine.')) })
  const session = await tab.open()
  await session.send('One')
  session.close()
  await settled()
  await clock.advance(5 * minutes - 1)
  expect(await isHeld(phone)).toBe(true)
  await clock.advance(1)
  await until(async () => !(await isHeld(phone)))
  const again = await tab.open()
  expect(again.messages.value).toHaveLength(2)
  expect(await again.send('Two')).toMatchObject({ text: 'Fine.' })
})

test('[O19] opened again in time, it is not released', async () => {
  const clock = fakeClock(Date.now())
  const phone = device(openMemoryStore(), { clock })
  const tab = phone.tab({ model: scriptedModel(() => say('Fine.')), idleShutdownAfter: minutes })
  const session = await tab.open()
  await session.send('One')
  session.close()
  await settled()
  await clock.advance(minutes / 2)
  const again = await tab.open()
  await clock.advance(5 * minutes)
  await settled()
  expect(await isHeld(phone)).toBe(true)
  expect(await again.send('Two')).toMatchObject({ text: 'Fine.' })
})

test('[O19] a turn goes on when its page closes the session, and it is released once that rests', async () => {
  const phone = device()
  let finish = () => {}
  const looking = new Promise<string>((resolve) => (finish = () => resolve('found')))
  const tools = [{ name: 'look', func: () => looking }]
  const tab = phone.tab({ model: scriptedModel([call('look'), say('There.')]), tools, idleShutdownAfter: 0 })
  const session = await tab.open()
  void session.send('Look')
  await until(() => session.calls.value[0]?.intent !== undefined)
  session.close()
  await settled()
  expect(await isHeld(phone)).toBe(true)
  finish()
  await until(async () => !(await isHeld(phone)))
  const again = await tab.open()
  expect(again.messages.value.at(-1)).toMatchObject({ content: 'There.' })
})

test('[O19] [G1] words saved just before the session is closed are still answered', async () => {
  const phone = device()
  const { store } = phone
  const slow: Store = { ...store, acquire: (...args) => settled().then(() => store.acquire(...args)) }
  const tab = phone.tab({ model: scriptedModel(() => say('Fine.')), idleShutdownAfter: 0 }, slow)
  const session = await tab.open()
  await session.send('One').saved
  session.close()
  await until(async () => (await phone.store.entries('s1', 0)).some(({ type }) => type === 'turn-end'))
  await until(async () => !(await isHeld(phone)))
})

test('[O19] one that waits for a person is released too, and asks again where it is opened', async () => {
  const phone = device()
  const book = { name: 'book', needsApproval: true, func: () => 'booked' }
  const tab = phone.tab({ model: scriptedModel([call('book'), say('Booked.')]), tools: [book], idleShutdownAfter: 0 })
  const session = await tab.open()
  await session.send('Book it')
  session.close()
  await until(async () => !(await isHeld(phone)))
  const again = await tab.open()
  expect(again.status.value).toBe('paused')
  expect(await again.approve(again.requests.value[0]!.id)).toMatchObject({ text: 'Booked.' })
})

test('[O19] [T16] what a user left at work ends when the page opens a session of another', async () => {
  const phone = device()
  const model = scriptedModel([[say('Half'), forever]])
  const tab = phone.tab({ model })
  const session = await tab.open()
  void session.send('Go')
  await until(() => session.partial.value?.text === 'Half')
  session.close()
  await settled()
  expect(await isHeld(phone)).toBe(true)
  await tab.client.open(defineAgent({ name: 'tester', user: 'next', model }), { type: 'new' })
  await until(async () => !(await isHeld(phone)))
})

test('[O19] another tab is given a session that rests unseen, before it is released', async () => {
  const phone = device()
  const unseen = await phone.tab({ model: scriptedModel([say('One.')]) }).open()
  await unseen.send('One')
  unseen.close()
  const session = await phone.tab({ model: scriptedModel([say('Two.')]) }).open()
  expect(await session.send('Two')).toMatchObject({ text: 'Two.' })
})

async function isHeld(phone: Device): Promise<boolean> {
  const free = await phone.lock.acquire('dogear::s1', { wait: false })
  free?.release()
  return free === undefined
}

/** Longer than messages between page and host take. */
function settled(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 50))
}
