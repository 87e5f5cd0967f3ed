/** A frozen owner: another tab takes over, and the old one, awake again, changes nothing. */
import { expect, test } from 'vitest'
import { useRig } from './rig.ts'
import type { Tab } from './tab.ts'

const rig = useRig()
const sessionIds = ['a']

test.each(['lie in the inbox', 'were taken up'])(
  '[G3] [G6] [X7] a tab frozen inside a call is stolen from, and does no harm when it wakes: words sent meanwhile %s',
  async (words) => {
    const owner = await rig.machine.open(rig.outside.url)
    await owner.enter(sessionIds)
    const other = await rig.machine.open(rig.outside.url)
    await other.enter(sessionIds)
    // Only a hidden page freezes.
    await other.page.bringToFront()
    const frozen = rig.outside.moments.arm('effect', async () => {
      if (words === 'were taken up') await queued(other)
      await owner.freeze(true)
    })
    await owner.send('a', 'Pay 1')
    await frozen
    const { rows } = await other.stored(sessionIds)
    const start = Date.now()
    const tookOver = other.tookOver('a', rows.a?.epoch ?? 0)
    if (words === 'lie in the inbox') await other.send('a', 'Pay 3')
    const handOver = (await tookOver).at - start
    expect(handOver).toBeLessThan(20_000)
    await other.rest(sessionIds, 2)
    await owner.freeze(false)
    await other.send('a', 'Pay 5')
    await other.rest(sessionIds, 3)
    await owner.rest(sessionIds, 3)
    await owner.send('a', 'Pay 7')
    rig.passes(
      words === 'were taken up' ? 'frozen owner, words taken' : 'frozen owner',
      1,
      await owner.rest(sessionIds, 4),
      { handOvers: [handOver] },
    )
    expect(await owner.shown('a')).toEqual(await other.shown('a'))
    expect([...rig.outside.outcomes.values()]).toEqual(['happened'])
  },
)

/** Sends from here, and waits until the owner has it. */
async function queued(tab: Tab): Promise<void> {
  await tab.send('a', 'Pay 3')
  for (;;) {
    const { journal } = await tab.stored(sessionIds)
    if (journal.a?.some(({ type }) => type === 'queue-set')) return
  }
}
