/** Storage that is full, corrupt, gone, or only in memory. */
import { appendFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { moments, waitedFor } from './moments.ts'
import { useRig } from './rig.ts'

const rig = useRig()
const sessionIds = ['a']

test('[G10] [X8] no space at any moment of a turn: it says so, and goes on when there is', async () => {
  const tab = await rig.machine.open(rig.outside.url)
  // From the start, and in small steps: the browser remembers for half a minute how much space there was.
  let megabytes = 1
  await tab.quota(megabytes * 1e6)
  await tab.enter(sessionIds)
  for (const [at, moment] of moments.entries()) {
    const full = rig.outside.moments.arm(moment, () => tab.fill())
    await tab.send('a', `Pay ${at + 1}`)
    await full
    const held = await tab.settles('a')
    // At the other moments the last words may have been written just before; and a result has room kept for it, which is
    // enough for the few words that follow.
    if (held === 'rest') expect(waitedFor.filter((each) => each !== 'effect')).not.toContain(moment)
    else expect(held).toBe('space')
    expect(await tab.exported('a')).toContain(`Pay ${at + 1}`)
    megabytes += 1
    await tab.quota(megabytes * 1e6)
    // It goes on by itself within five seconds; seen once, as all of them would be waited for.
    if (moment !== 'asked') await tab.resume('a')
    await tab.rest(sessionIds)
  }
  rig.passes('quota', moments.length, await tab.stored(sessionIds))
})

test('[G1] [X3] half a record at the end of the log, as a kill leaves it, costs nothing', async () => {
  // Chromium writes on behind it, and finds it only when it is killed once more.
  const kills = 6
  for (let turns = 1; turns <= kills; turns += 1) {
    const tab = await rig.machine.open(rig.outside.url)
    await tab.enter(sessionIds)
    await tab.send('a', `Pay ${turns}`)
    await tab.rest(sessionIds, turns)
    await rig.machine.kill()
    leaveHalfARecord(databaseFolder())
  }
  const tab = await rig.machine.open(rig.outside.url)
  await tab.enter(sessionIds)
  rig.passes('half a record', kills, await tab.rest(sessionIds, kills))
})

test('[G11] [X9] a corrupt database is replaced; the page says so, and works', async () => {
  await payOnce()
  await rig.machine.kill()
  corrupt(databaseFolder())
  await paysAgain()
})

test('[G11] [X9] an evicted database is replaced; the page says so, and works', async () => {
  await payOnce()
  await rig.machine.kill()
  rmSync(databaseFolder(), { recursive: true })
  await paysAgain()
})

test('[G7] [X12] a private window keeps its session over a reload', async () => {
  const tab = await rig.machine.open(rig.outside.url, { private: true })
  await tab.enter(sessionIds)
  const reloaded = rig.outside.moments.arm('streaming', () => tab.page.reload())
  tab.send('a', 'Pay 1').catch(() => {})
  await reloaded
  await tab.enter(sessionIds)
  rig.passes('private mode', 1, await tab.rest(sessionIds))
})

async function payOnce(): Promise<void> {
  const tab = await rig.machine.open(rig.outside.url)
  await tab.enter(sessionIds)
  await tab.send('a', 'Pay 1')
  const { journal } = await tab.rest(sessionIds)
  expect(journal.a?.at(-1)?.type).toBe('turn-end')
  await tab.page.waitForFunction(() => Object.keys(localStorage).some((key) => key.endsWith('witness')))
  // Chromium writes local storage a few seconds after the page does.
  await new Promise((resolve) => setTimeout(resolve, 6_000))
}

async function paysAgain(): Promise<void> {
  const tab = await rig.machine.open(rig.outside.url)
  await tab.enter(sessionIds)
  expect((await tab.stored(sessionIds)).journal.a ?? []).toEqual([])
  expect(await tab.settles('a')).toBe('history-lost')
  await tab.send('a', 'Pay 3')
  const { journal } = await tab.rest(sessionIds)
  expect(journal.a?.at(-1)?.type).toBe('turn-end')
}

function databaseFolder(): string {
  const folder = join(rig.machine.profile, 'Default/IndexedDB')
  const origin = new URL(rig.outside.url).host.replace(':', '_')
  const name = readdirSync(folder).find((each) => each.includes(origin) && each.endsWith('.leveldb'))
  if (name === undefined) throw new Error(`No database of ${origin} in ${readdirSync(folder).join()}`)
  return join(folder, name)
}

/** The header of a LevelDB record says 3,000 bytes; a kill let through twenty of them. */
function leaveHalfARecord(folder: string): void {
  // The newest: a browser killed while it begins a new one leaves two.
  const name = readdirSync(folder)
    .filter((each) => each.endsWith('.log'))
    .toSorted()
    .at(-1)!
  const record = Buffer.alloc(27, 7)
  record.writeUInt16LE(3_000, 4)
  record.writeUInt8(1, 6)
  appendFileSync(join(folder, name), record)
}

/** Every 64th byte of the log flipped: no checksum survives it. */
function corrupt(folder: string): void {
  for (const name of readdirSync(folder).filter((each) => each.endsWith('.log') || each.endsWith('.ldb'))) {
    const bytes = readFileSync(join(folder, name))
    for (let at = 32; at < bytes.length; at += 64) bytes[at]! ^= 0xff
    writeFileSync(join(folder, name), bytes)
  }
}
