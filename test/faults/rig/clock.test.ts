/** A clock that is set, by a person or a server, in the middle of a turn. */
import { expect, test } from 'vitest'
import { moments } from './moments.ts'
import { useRig } from './rig.ts'

const rig = useRig()
const sessionIds = ['a']
const day = 86_400_000

test.each([
  ['ahead', day],
  ['back', -day],
])('[G14] [X14] a clock set a day %s at any moment of a turn, or before a reload, changes nothing', async (way, by) => {
  const tab = await rig.machine.open(rig.outside.url)
  await tab.enter(sessionIds)
  let sent = 0
  for (const moment of moments) {
    for (const isReloaded of [false, true]) {
      const set = rig.outside.moments.arm(moment, async () => {
        await tab.setClock(by)
        // Where the clock is right again: it jumps the other way.
        if (isReloaded) await tab.page.reload()
      })
      sent += 1
      tab.send('a', `Pay ${sent}`).catch(() => {})
      await set
      if (isReloaded) await tab.enter(sessionIds)
      await tab.rest(sessionIds, sent)
    }
  }
  const found = await tab.stored(sessionIds)
  rig.passes(`clock ${way}`, sent, found)
  // As they were sent, and not as they are dated.
  const all = Array.from({ length: sent }, (_, at) => `Pay ${at + 1}`)
  const shown = (await tab.shown('a')).filter((words) => words?.startsWith('Pay'))
  expect(shown).toEqual(all.slice(-shown.length))
  const entries = found.journal.a ?? []
  const dates = entries.map(({ at }) => at)
  expect(Math.max(...dates) - Math.min(...dates)).toBeGreaterThan(day / 2)
  // By the clock, a call would have taken a day, and any limit on it would be over.
  const times = entries.flatMap((entry) => (entry.type === 'tool-result' ? (entry.result.durationMs ?? []) : []))
  expect(Math.max(...times.map(Math.abs))).toBeLessThan(day / 2)
})
