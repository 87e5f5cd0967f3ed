import { openIndexedDbStore } from '@dogear/store'
import { indexedDbContract } from './store-indexed-db.ts'
import { modelContract } from './store-model.ts'
import { storeContract } from './store.ts'

storeContract('IndexedDB', openIndexedDbStore)
indexedDbContract()
modelContract({ runs: 25 })
