/** The custom elements, with sessions behind them. Idempotent; safe to call in Node, where it does nothing. */
import { defineElements as define } from '@dogear/widgets'
import { connectWith } from './connect.ts'

export function defineElements(): void {
  define({ connect: connectWith() })
}
