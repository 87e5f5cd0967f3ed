/** Dogear's worker in a tunnel: no request gets out while it is closed, and those under way break off. */

let isInside = location.search.includes('inside')
let tunnel = new AbortController()
const request = self.fetch

Object.defineProperty(navigator, 'onLine', { configurable: true, get: () => !isInside })

self.fetch = (input, options = {}) => {
  if (isInside) return Promise.reject(new TypeError('Failed to fetch'))
  const signals = [tunnel.signal, ...(options.signal ? [options.signal] : [])]
  return request(input, { ...options, signal: AbortSignal.any(signals) })
}

new BroadcastChannel('playground-tunnel').addEventListener('message', ({ data }) => {
  isInside = data
  if (isInside) tunnel.abort(new TypeError('network error'))
  else tunnel = new AbortController()
  dispatchEvent(new Event(isInside ? 'offline' : 'online'))
})

// The proxy serves it: not a file that the development server would find.
await import(/* @vite-ignore */ new URL('/dogear-worker.js', location.href).href)
