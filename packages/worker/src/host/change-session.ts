/** A new name, tag or place in the archive for a session that is not open in this tab: no model, no tools, one writer. */
import { changeEntry, isChange, openJournal, type Change, type Store } from '@dogear/core'
import { catchUp, loadFold } from './load.ts'
import { lockOf } from './lease.ts'
import type { OpenedStore, Platform } from './platform.ts'

/** How often an owner elsewhere is looked at before the change is left in its inbox, where it is safe. */
const looks = 4
const lookEvery = 500

export async function changeSession(
  { platform, opened, name }: { platform: Platform; opened: OpenedStore; name: string },
  command: Change,
): Promise<void> {
  const { store } = opened
  const locks = lockOf(platform, opened, command.sessionId)
  await store.send(command)
  let heard = () => {}
  const channel = platform.transport.open(name, () => heard())
  try {
    for (let look = 0; look < looks; look += 1) {
      const lock = await locks.acquire(name, { wait: false })
      if (lock) return await takeChanges(platform, store, command.sessionId).finally(() => lock.release())
      const told = new Promise<void>((resolve) => (heard = resolve))
      channel.post({ type: 'wake' })
      await Promise.race([told, platform.clock.sleep(lookEvery)])
      const waiting = await store.inbox(command.sessionId)
      if (!waiting.some((row) => row.command.commandId === command.commandId)) return
    }
  } finally {
    channel.close()
  }
}

/** What else waits in the inbox is left to an owner with an agent: none of it depends on these. */
async function takeChanges(platform: Platform, store: Store, sessionId: string): Promise<void> {
  const { clock } = platform
  const row = await store.session(sessionId)
  if (!row) return
  // Read before the epoch is raised: what a newer version wrote is not touched.
  const fold = await loadFold(store, sessionId, row.agent)
  const { epoch } = await store.acquire(sessionId, { agent: row.agent, at: clock.now() })
  const { newer } = await catchUp(store, fold)
  if (newer) throw newer
  const journal = openJournal({ fold, clock, store, epoch })
  for (const { key, command } of await store.inbox(sessionId)) {
    if (!isChange(command)) continue
    const isTaken = fold.head.commands.includes(command.commandId)
    await journal.append(isTaken ? [] : [changeEntry(command)], { take: [key] })
  }
}
