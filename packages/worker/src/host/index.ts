export { serve } from './host.ts'
export { leaseLock } from './lease.ts'
export {
  browserClock,
  browserIds,
  browserLock,
  browserNetwork,
  browserTransport,
  type OpenedStore,
  type Platform,
} from './platform.ts'
export { sha256 } from './sha256.ts'
