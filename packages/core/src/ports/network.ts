/** Network port: hints only. A failed fetch is the fact; `online` says when to try again. */

export interface Network {
  isOnline(): boolean
  /** Calls back on every hint that the network may be back or gone. */
  subscribe(changed: () => void): () => void
}
