/** Offline and a server that is down, at every moment of a turn. */
import { expect, test } from 'vitest'
import { moments, waitedFor } from './moments.ts'
import { useRig } from './rig.ts'

const rig = useRig()
const sessionIds = ['a']

test('[G9] [X4] offline at any moment of a turn: it goes on by itself when the network is back', async () => {
  const tab = await rig.machine.open(rig.outside.url)
  await tab.enter(sessionIds)
  for (const [at, moment] of moments.entries()) {
    const cut = rig.outside.moments.arm(moment, () => tab.offline(true))
    await tab.send('a', `Pay ${at + 1}`)
    await cut
    const held = await tab.settles('a')
    // At the other moments the last words may have come just before.
    if (held === 'rest') expect(waitedFor).not.toContain(moment)
    else expect(['network', 'offline']).toContain(held)
    await tab.offline(false)
    await tab.rest(sessionIds)
  }
  rig.passes('offline', moments.length, await tab.stored(sessionIds), { isCut: true })
  expect(rig.outside.outcomes.size).toBe(0)
})

test('[G9] [X5] a server that goes down at a moment of a turn: it goes on by itself when it is up', async () => {
  const tab = await rig.machine.open(rig.outside.url)
  await tab.enter(sessionIds)
  for (const [at, moment] of waitedFor.entries()) {
    const cut = rig.outside.moments.arm(moment, () => rig.outside.down(true))
    await tab.send('a', `Pay ${at + 1}`)
    await cut
    expect(await tab.settles('a')).toBe('network')
    rig.outside.down(false)
    await tab.rest(sessionIds)
  }
  rig.passes('server down', waitedFor.length, await tab.stored(sessionIds), { isCut: true })
})
