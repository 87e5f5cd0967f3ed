/** Two and three tabs of one session: racing, crashing, frozen, and stale after a steal. */
import { expect, test } from 'vitest'
import { useRig } from './rig.ts'
import type { Tab } from './tab.ts'

const rig = useRig()
const sessionIds = ['a']

test.each([2, 3])('[G6] [X6] %i tabs that send at once: each message is answered once, in every tab', async (count) => {
  const tabs = await openTabs(count)
  for (let round = 0; round < 3; round += 1) {
    await Promise.all(tabs.map((tab, at) => tab.send('a', `Pay ${round * count + at + 1}`)))
    await Promise.all(tabs.map((tab) => tab.rest(sessionIds, (round + 1) * count)))
  }
  rig.passes(`${count} tabs racing`, 3, await tabs[0]!.stored(sessionIds))
  const [first, ...others] = await Promise.all(tabs.map((tab) => tab.shown('a')))
  for (const other of others) expect(other).toEqual(first)
  expect(rig.outside.outcomes.size).toBe(0)
})

test('[G3] [G6] [X2] [X6] three tabs send while the owner crashes inside a call', async () => {
  const [owner, ...others] = await openTabs(3)
  const crashed = rig.outside.moments.arm('effect', async () => {
    await Promise.all(others.map((tab, at) => tab.send('a', `Pay ${at + 3}`)))
    await owner!.crash()
  })
  await owner!.send('a', 'Pay 1')
  await crashed
  await Promise.all(others.map((tab) => tab.rest(sessionIds, 3)))
  rig.passes('3 tabs, owner crashed', 1, await others[0]!.stored(sessionIds))
  expect(rig.outside.outcomes.size).toBe(1)
})

async function openTabs(count: number): Promise<Tab[]> {
  const tabs: Tab[] = []
  for (let at = 0; at < count; at += 1) {
    const tab = await rig.machine.open(rig.outside.url)
    await tab.enter(sessionIds)
    tabs.push(tab)
  }
  return tabs
}
