/** Keeps a browser that was killed from deleting this site's databases the time after next. */
import { deleteDB, openDB } from 'idb'

/**
 * Chromium keeps IndexedDB in a LevelDB log. Killed in the middle of a write it leaves half a record at the log's end,
 * goes on behind it at the next start, and at the start after that takes the whole for corrupt and deletes it.
 * Deleting any database of the site makes it begin a new log, and drop the old one once its records are elsewhere.
 * Nothing may be written meanwhile: a write that is under way when the new log is asked for takes the question with it.
 */
export async function beginFreshLog(): Promise<void> {
  // The other engines do not use LevelDB.
  if (!isChromium()) return
  const limit = new Promise((resolve) => setTimeout(resolve, patience))
  // A precaution: where it fails the database is as it was.
  await Promise.race([makeAndDelete(), limit]).catch(() => {})
}

/** Only its events tell of lost data. */
export function isChromium(): boolean {
  return 'dataLoss' in (globalThis.IDBVersionChangeEvent?.prototype ?? {})
}

/** A tab frozen in the middle of it must not keep the others waiting. */
const patience = 1_000

/** The new log is asked for up to 4 ms after the deletion is told, on a busy machine. */
const settling = 20

const passing = 'dogear-log'

async function makeAndDelete(): Promise<void> {
  const database = await openDB(passing, 1)
  database.close()
  await deleteDB(passing)
  await new Promise((resolve) => setTimeout(resolve, settling))
}
