/** A snapshot: a session exported as JSON, self-contained. */
import type { Plan } from '../smart/plan.ts'
import type { Usage } from './state.ts'
import type { Message } from './message.ts'

export interface Snapshot {
  readonly schemaVersion: 1
  readonly state: {
    readonly messages: readonly Message[]
    readonly plan: Plan | null
    readonly usage: Usage
    readonly title?: string
  }
  readonly runtimeHint: { readonly name: string; readonly version?: string; readonly tools: readonly string[] }
  readonly metadata: {
    readonly createdAt: number
    readonly tag: string
    readonly sessionId: string
    readonly paused: boolean
  }
}
