/** A turn that ends the worker or the tab whenever it is gone on with. */
import { expect, test } from 'vitest'
import { finalWords } from './model.ts'
import { useRig } from './rig.ts'

const rig = useRig()

test('[G16] [X1] words that kill every worker park their session, and the others go on', async () => {
  const tab = await rig.machine.open(`${rig.outside.url}?worker=/poison-worker.js`)
  await tab.enter(['bad', 'good'])
  await tab.send('bad', 'Pay 13')
  expect(await tab.settles('bad')).toBe('session-parked')
  const started = await tab.workers()
  expect(started).toBe(5)
  await tab.send('good', 'Pay 1')
  await tab.rest(['good'], 1)
  expect(await tab.shown('good')).toContain(finalWords(1))
  // As a person finds it who comes back later, with a worker that such words do not kill.
  const later = await rig.machine.open(rig.outside.url)
  await later.enter(['bad'])
  expect(await later.settles('bad')).toBe('session-parked')
  await later.resume('bad')
  await later.rest(['bad'], 1)
  expect(await later.shown('bad')).toContain(finalWords(13))
  expect(await tab.workers()).toBe(started)
  rig.passes('poison, worker', started - 1, await later.stored(['bad', 'good']))
}, 120_000)

test('[G16] [X2] a tab that crashes three times where it goes on is not made to crash again', async () => {
  void rig.outside.moments.arm('streaming', () => new Promise(() => {}))
  let tab = await rig.machine.open(rig.outside.url)
  await tab.enter(['bad'])
  await tab.send('bad', 'Pay 1')
  for (let crash = 0; crash < 4; crash += 1) {
    await tab.streams('bad')
    await tab.crash()
    await tab.close()
    tab = await rig.machine.open(rig.outside.url)
    await tab.enter(['bad'])
  }
  expect(await tab.settles('bad')).toBe('session-parked')
  await tab.stop('bad')
  await tab.send('bad', 'Pay 3')
  await tab.rest(['bad'], 2)
  expect(await tab.shown('bad')).toContain(finalWords(3))
}, 120_000)

test('[G16] a person who reloads and reloads while it answers parks nothing', async () => {
  let goOn = () => {}
  void rig.outside.moments.arm('streaming', () => new Promise<void>((resolve) => (goOn = resolve)))
  const tab = await rig.machine.open(rig.outside.url)
  await tab.enter(['a'])
  await tab.send('a', 'Pay 1')
  for (let reload = 0; reload < 6; reload += 1) {
    await tab.streams('a')
    await tab.page.reload()
    await tab.enter(['a'])
  }
  await tab.streams('a')
  goOn()
  await tab.rest(['a'], 1)
  expect(await tab.shown('a')).toContain(finalWords(1))
}, 120_000)
