/** The rows of a user's database as they lie there, whatever they are. */
import { databaseName } from '@dogear/store'

export interface Row {
  readonly store: string
  readonly key: IDBValidKey
  readonly value: unknown
}

export async function readRows(name: string): Promise<Row[]> {
  const database = await raw(name)
  const rows: Row[] = []
  for (const store of database.objectStoreNames) {
    const source = database.transaction(store).objectStore(store)
    const [keys, values] = await Promise.all([done(source.getAllKeys()), done(source.getAll())])
    rows.push(...keys.map((key, index) => ({ store, key, value: values[index] as unknown })))
  }
  database.close()
  return rows
}

export async function writeRows(name: string, rows: readonly Row[]): Promise<void> {
  const database = await raw(name)
  for (const { store, key, value } of rows) {
    const target = database.transaction(store, 'readwrite').objectStore(store)
    await done(target.keyPath === null ? target.put(value, key) : target.put(value))
  }
  database.close()
}

async function raw(name: string): Promise<IDBDatabase> {
  return done(indexedDB.open(databaseName(undefined, name)))
}

function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}
