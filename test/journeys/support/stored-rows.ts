/** The visitor's stored rows changed by hand, as a disk, a thief or the passing of days would change them. */
import type { Page } from 'playwright-core'

/** Open it on a page of the site that has no agent, so that nobody else writes. */
export function changeJournal(page: Pick<Page, 'evaluate'>, change: JournalChange): Promise<unknown> {
  return page.evaluate(journalChange(change))
}

export interface JournalChange {
  /** Only rows of this type. */
  readonly type?: string
  /** In every text of a row. */
  readonly replace?: readonly [words: string, by: string]
  /** Off every time that is kept in a row. */
  readonly daysOlder?: number
}

/** The same as an expression, for engines that are asked with text. Its value says how many rows are others now. */
export function journalChange(change: JournalChange): string {
  return `(${rewrite.toString()})(${JSON.stringify(change)})`
}

/** Runs in the page, so it knows nothing but its argument. */
async function rewrite({ type, replace, daysOlder = 0 }: JournalChange): Promise<number> {
  const times = ['at', 'openedAt', 'createdAt', 'updatedAt']
  const done = <T>(request: IDBRequest<T>) =>
    new Promise<T>((resolve, reject) => {
      request.onsuccess = () => resolve(request.result)
      request.onerror = () => reject(request.error)
    })
  const changed = (value: unknown, name = ''): unknown => {
    if (typeof value === 'string' && replace) return value.replaceAll(replace[0], replace[1])
    if (typeof value === 'number' && times.includes(name)) return value - daysOlder * 86_400_000
    if (Array.isArray(value)) return value.map((each) => changed(each))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, changed(each, key)]))
  }
  const [found] = await indexedDB.databases()
  const database = await done(indexedDB.open(found!.name!))
  let count = 0
  for (const name of type === undefined ? ['sessions', 'journal', 'folds'] : ['journal']) {
    const store = database.transaction(name, 'readwrite').objectStore(name)
    const [keys, rows] = await Promise.all([done(store.getAllKeys()), done(store.getAll() as IDBRequest<object[]>)])
    for (const [index, row] of rows.entries()) {
      const next = changed(row)
      if (type !== undefined && (row as { type?: string }).type !== type) continue
      if (JSON.stringify(next) === JSON.stringify(row)) continue
      await done(store.keyPath === null ? store.put(next, keys[index]) : store.put(next))
      count += 1
    }
  }
  database.close()
  return count
}
