/** Hash port: sha256 as lower-case hex, synchronous, so that it can run before a transaction opens. */

export interface Hash {
  sha256(text: string): string
}
