import type { Store } from '@dogear/core'
import { databaseName, openIndexedDbStore, openMemoryStore } from '@dogear/store'
import * as fakeIndexedDb from 'fake-indexeddb'
import { indexedDbContract } from './store-indexed-db.ts'
import { modelContract } from './store-model.ts'
import { storeContract } from './store.ts'

Object.assign(globalThis, fakeIndexedDb)

const shared = new Map<string, Store>()

storeContract('memory', async ({ name, user }) => {
  const key = databaseName(user, name)
  const store = shared.get(key) ?? openMemoryStore()
  shared.set(key, store)
  return store
})

storeContract('IndexedDB', openIndexedDbStore)
indexedDbContract()
modelContract({ runs: 100 })
