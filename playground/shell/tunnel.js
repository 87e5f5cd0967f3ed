/** A tunnel for all tabs of this page: while one is in it, the browser is offline, as far as the page can tell. */

const key = 'playground-tunnel'
const channel = new BroadcastChannel(key)
let isInside = localStorage.getItem(key) === 'inside'

Object.defineProperty(navigator, 'onLine', { configurable: true, get: () => !isInside })
channel.addEventListener('message', ({ data }) => notice(data))

/** For an agent's `worker` option: Dogear's own worker, with its network in the same tunnel. */
export function tunnelWorker() {
  return `/shell/tunnel-worker.js${isInside ? '?inside' : ''}`
}

export function isInTunnel() {
  return isInside
}

export function setTunnel(next) {
  localStorage.setItem(key, next ? 'inside' : 'outside')
  channel.postMessage(next)
  notice(next)
}

function notice(next) {
  isInside = next
  dispatchEvent(new Event(next ? 'offline' : 'online'))
}
