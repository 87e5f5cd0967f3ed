export { databaseName } from './database-name.ts'
export { openIndexedDbStore, type IndexedDbStoreOptions } from './indexed-db-store.ts'
export { openMemoryStore } from './memory-store.ts'
