/** Transport port: a broadcast to the other tabs of this origin. It wakes and carries deltas; truth is the store. */

export interface Transport {
  open(name: string, receive: (message: unknown) => void): Channel
}

export interface Channel {
  post(message: unknown): void
  close(): void
}
