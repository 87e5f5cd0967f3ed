export { serve } from './host.ts'
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
