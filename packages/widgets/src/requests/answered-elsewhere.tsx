/** A line that says why a question went away: somebody else answered it. */

import { useRef } from 'preact/hooks'
import { useWidget } from '../context.ts'
import { wasShown } from './use-requests.ts'

export function AnsweredElsewhere() {
  const { session, strings } = useWidget()
  const answered = session.answeredElsewhere.value
  const turn = [...session.messages.value, ...session.pending.value].findLast(({ role }) => role === 'user')
  const heard = useRef({ answered, turn: turn?.id })
  if (heard.current.answered !== answered) heard.current = { answered, turn: turn?.id }
  // Until the person goes on with something else.
  const isNews = answered && heard.current.turn === turn?.id && wasShown(session, answered.requestId)
  return <div role="status">{isNews && <p class="meta notice">{strings.answeredElsewhere(answered.by)}</p>}</div>
}
