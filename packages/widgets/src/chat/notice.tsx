/** What holds a turn up or ended it, in one plain sentence, with the one thing to do about it. */

import type { ComponentChildren } from 'preact'
import type { ErrorData, OpenCall, TerminalReason, Waiting } from '@dogear/core'
import type { Session } from '@dogear/worker'
import { useWidget } from '../context.ts'
import type { Strings } from '../strings.ts'
import { toolLabel } from './call-view.ts'

/** The state of the last or the open turn, when there is something to say about it. */
export function TurnNotice() {
  const { session, strings } = useWidget()
  const { connection, waiting, status, lastEnd } = session
  if (connection.value.type === 'failed') {
    const { error } = connection.value
    const onRetry = () => session.resume()
    if (error.code === 'session-parked') return <ErrorNotice error={error} onRetry={onRetry} onStop={session.stop} />
    if (error.code !== 'history-lost') return <ErrorNotice error={error} />
    return <ErrorNotice error={error} words={strings.outcome.approve} onRetry={onRetry} />
  }
  if (waiting.value) return <WaitingNotice waiting={waiting.value} />
  if (status.value !== 'idle' || !lastEnd.value) return null
  const { error, terminalReason } = lastEnd.value
  if (error) return <ErrorNotice error={error} onRetry={() => session.retry()} />
  const words = endWords(terminalReason, strings)
  return words ? <Notice>{words}</Notice> : null
}

interface ErrorNoticeProps {
  readonly error: ErrorData
  /** What the button says instead of Try again. */
  readonly words?: string
  readonly onRetry?: () => void
  readonly onStop?: () => void
}

export function ErrorNotice({ error, words, onRetry, onStop }: ErrorNoticeProps) {
  const { strings, debug } = useWidget()
  return (
    <Notice
      kind="error"
      action={onRetry && { words: words ?? strings.retry, run: onRetry }}
      other={onStop && { words: strings.stop, run: onStop }}
    >
      {strings.errors[error.code] ?? strings.error}
      {debug && (
        <details>
          <summary>{strings.details}</summary>
          <code>{error.code}</code> {error.message} {error.cause}
        </details>
      )}
    </Notice>
  )
}

function WaitingNotice({ waiting }: { waiting: Waiting }) {
  const { session, strings } = useWidget()
  if (waiting !== 'page') {
    const again = { words: strings.retry, run: () => session.resume() }
    return <Notice action={waiting === 'token' ? again : undefined}>{strings.waiting[waiting]}</Notice>
  }
  const call = awayCall(session)
  if (!call) return null
  const skip = { words: strings.skip, run: () => void session.stopTask(call.callId) }
  return <Notice action={skip}>{strings.waitingPage(toolLabel(session, call.tool, 'ask', call.label))}</Notice>
}

/** The call that waits for a page: this one lacks its tool, or it is a helper's. Rather one that was not begun: others may be running in another tab. */
function awayCall({ calls, agent }: Session): OpenCall | undefined {
  const isHere = (tool: string) => agent.tools.some((each) => each.name === tool && !each.agent)
  const away = calls.value.filter((call) => !call.done && (!call.request || call.decision) && !isHere(call.tool))
  return away.find(({ intent, decision }) => !intent || decision) ?? away[0]
}

interface Action {
  readonly words: string
  readonly run: () => void
}

interface NoticeProps {
  readonly kind?: 'error'
  readonly action?: Action
  readonly other?: Action
  readonly children: ComponentChildren
}

export function Notice({ kind, action, other, children }: NoticeProps) {
  return (
    <div class="notice" part="notice" data-state={kind}>
      <div>{children}</div>
      {[other, action].map(
        (each) =>
          each && (
            <button class="button" type="button" key={each.words} onClick={() => each.run()}>
              {each.words}
            </button>
          ),
      )}
    </div>
  )
}

function endWords(reason: TerminalReason, strings: Strings): string | undefined {
  if (reason === 'max_turns' || reason === 'max_tool_calls') return strings.limitReached
  if (reason === 'max_output_tokens') return strings.lengthReached
  return undefined
}
