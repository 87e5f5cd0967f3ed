/** Ids port: 128 random bits as text. */

export interface Ids {
  id(): string
}
