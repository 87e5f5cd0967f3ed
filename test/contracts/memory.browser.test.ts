import { openIndexedDbStore } from '@dogear/store'
import { memoryContract } from './memory.ts'

let databases = 0
memoryContract('IndexedDB', async (now) =>
  (await openIndexedDbStore({ name: `memory-${(databases += 1)}-${Date.now()}` })).memory(now),
)
