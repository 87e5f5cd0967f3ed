/** The worker of the tunnel on a disk that can be full: then nothing more is written, and what is deleted is. */

let isFull = location.search.includes('full')
new BroadcastChannel('playground-disk').addEventListener('message', ({ data }) => (isFull = data))

for (const method of ['put', 'add']) {
  const write = IDBObjectStore.prototype[method]
  IDBObjectStore.prototype[method] = function (...args) {
    if (isFull) throw new DOMException('The disk is full, because a button says so.', 'QuotaExceededError')
    return write.apply(this, args)
  }
}

await import('./tunnel-worker.js')
