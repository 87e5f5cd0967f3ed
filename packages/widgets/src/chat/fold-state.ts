/** The fold as a status light: which of its states a session is in. */

import type { Session } from '@dogear/worker'
import type { Strings } from '../strings.ts'

export type FoldState = keyof Strings['status']

export function foldState(session: Session | undefined): FoldState {
  if (!session) return 'opening'
  const connection = session.connection.value.type
  if (connection === 'failed') return 'error'
  if (connection === 'offline' || session.waiting.value === 'network') return 'offline'
  if (session.requests.value.length > 0 || session.waiting.value) return 'asking'
  if (session.status.value === 'busy' || session.unsaved.value.length > 0) return 'working'
  if (session.lastEnd.value?.error) return 'error'
  if (connection === 'connecting') return 'opening'
  if (!session.kept.value) return 'unkept'
  return session.messages.value.length > 0 ? 'saved' : 'new'
}
