/** A session as the list of a device shows it, without opening it. */
import type { SessionRecord, Status } from '@dogear/core'

export interface SessionInfo extends Pick<SessionRecord, 'id' | 'agent' | 'createdAt' | 'updatedAt' | 'messageCount'> {
  readonly title?: string
  /** Where the title comes from; a person's own is never replaced. */
  readonly titledBy?: SessionRecord['titledBy']
  /** What the person said first, up to 200 characters; looked for in the first 200 journal entries. */
  readonly firstPrompt?: string
  readonly tag?: string
  readonly archived: boolean
  /** What it does now, in whichever tab. One that was `busy` when its tab died stays so, and goes on when it is opened. */
  readonly status: Status
  /** Whether this tab has it open, or still at hand. */
  readonly open: boolean
  /** How many requests wait for a person. */
  readonly waiting: number
  /** What they are about, each once, in the tools' own words. */
  readonly asks?: readonly string[]
}

export interface SessionQuery {
  /** Default 50. */
  limit?: number
  /** The last session you have: those that come after it, newest first. */
  before?: Pick<SessionInfo, 'id' | 'updatedAt'>
  /** Only those with this tag. */
  tag?: string
  /** `true`: only those that are archived. By default only those that are not. */
  archived?: boolean
  /** `true`: only those in which something waits for a person. */
  waiting?: boolean
  /** `true`: only those that this tab has open. */
  open?: boolean
  /**
   * Only those whose title or messages have all these words. Looks through the newest 200 sessions at most, and of each
   * through its newest 500 to 5,000 journal entries, 20,000 of all of them: what was said long ago in a very long session
   * is not found. A message is about two entries, and so is a tool call.
   */
  text?: string
}

/** Every record of a session as it lies in the store, also those that cannot be read any more. */
export interface RawSession {
  readonly sessionId: string
  readonly record: unknown
  readonly entries: readonly unknown[]
  readonly head: unknown
  readonly inbox: readonly unknown[]
  readonly snapshots: readonly unknown[]
  readonly quarantine: readonly { readonly id: string; readonly value: unknown }[]
}
