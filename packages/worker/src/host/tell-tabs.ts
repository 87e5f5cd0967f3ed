/** The channel of a session, for what need not have it open. */
import type { Platform } from './platform.ts'
import type { Told } from './told.ts'

/** Of the lock and the channel. Encoded: one user's name must not spell those of another's session. */
export function nameOf(user: string | undefined, sessionId: string): string {
  return `dogear:${encodeURIComponent(user ?? '')}:${sessionId}`
}

export function tellTabs({ transport }: Platform, user: string | undefined, sessionId: string, told: Told): void {
  const channel = transport.open(nameOf(user, sessionId), () => {})
  channel.post(told)
  channel.close()
}

/** Tells the tabs that show this session that it is gone. */
export function tellDeleted(platform: Platform, user: string | undefined, sessionId: string): void {
  tellTabs(platform, user, sessionId, { type: 'deleted' })
}
