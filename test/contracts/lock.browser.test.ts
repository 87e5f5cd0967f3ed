import { openIndexedDbStore } from '@dogear/store'
import { browserIds, browserLock, leaseLock } from '@dogear/worker/host'
import { hastyClock } from './device.ts'
import { lockContract } from './lock.ts'

lockContract('Web Locks', () => [browserLock, browserLock])
lockContract('a lease in IndexedDB', async () => {
  const name = crypto.randomUUID()
  const lease = async () =>
    leaseLock({ store: await openIndexedDbStore({ name }), sessionId: 's', clock: hastyClock(50), ids: browserIds })
  return [await lease(), await lease()]
})
