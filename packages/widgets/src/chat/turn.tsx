/** One turn: the person's words and all the agent did about them. */

import { useComputed } from '@preact/signals'
import { textOf, type Message } from '@dogear/core'
import { useWidget } from '../context.ts'
import { Icon } from '../icon.tsx'
import { ValueList } from '../value-list.tsx'
import { AgentMessage } from './agent-message.tsx'
import { isSettled } from './call-view.ts'
import { CopyButton } from './copy-button.tsx'
import { TurnNotice } from './notice.tsx'
import { ToolCalls } from './tool-calls.tsx'
import { turnRows, type Live } from './turn-rows.ts'
import { useIsIdle, Versions } from './versions.tsx'
import { Words } from './words.tsx'

interface TurnProps {
  readonly messages: readonly Message[]
  readonly isLive: boolean
  /** Began under this visitor's eyes. */
  readonly isCurrent: boolean
  readonly isLast: boolean
}

export function Turn({ messages, isLive, isCurrent, isLast }: TurnProps) {
  const { session, strings } = useWidget()
  const isIdle = useIsIdle()
  const streaming = useStreaming(isLive)
  const rows = turnRows(session, messages, isLive ? { calls: session.calls.value, streaming } : undefined)
  const isQuiet = rows.every((row) => row.type !== 'calls' || row.calls.every(isSettled)) && !streaming?.hasWords
  const isHeld = session.waiting.value || session.connection.value.type === 'failed'
  const isThinking = isLive && isQuiet && session.status.value === 'busy' && !isHeld
  const answer = answerOf(messages)
  // Words that were left without an answer can be answered still.
  const first = messages.find(({ role }) => role === 'assistant') ?? (session.lastEnd.value ? undefined : messages[0])

  return (
    <section class="turn" data-current={isCurrent || undefined}>
      {rows.map((row) => {
        if (row.type === 'user') return <Words key={row.id} message={row.message} />
        if (row.type === 'agent') return <AgentMessage key={row.id} message={row.message} />
        if (row.type === 'output') return <Output key={row.id} value={row.value} />
        return <ToolCalls key={row.id} calls={row.calls} />
      })}
      {isThinking && (
        <p class="dots">
          <i />
          <i />
          <i />
        </p>
      )}
      {isLast && <TurnNotice />}
      {!isLive && (
        <div class="actions">
          {answer && <CopyButton text={answer} />}
          {isIdle && first && (
            <>
              <button
                type="button"
                title={messages.some(({ role }) => role === 'tool') ? strings.staysDone : undefined}
                onClick={() => session.regenerate(first.id)}
              >
                <Icon name="again" />
                {strings.regenerate}
              </button>
              <Versions id={first.id} />
            </>
          )}
        </div>
      )}
    </section>
  )
}

function Output({ value }: { value: unknown }) {
  return (
    <article class="agent" part="message" data-role="agent" data-state="complete">
      <ValueList value={value} />
    </article>
  )
}

/** What streams, as far as rows depend on it: the same object while only words arrive. */
function useStreaming(isLive: boolean): Live['streaming'] {
  const { session } = useWidget()
  const key = useComputed(() => {
    const partial = session.partial.value
    if (!partial) return ''
    const { stepId, text, reasoning, refusal, calls } = partial
    return JSON.stringify({ stepId, hasWords: !!(text || reasoning || refusal), tools: calls.map(({ name }) => name) })
  })
  return isLive && key.value ? JSON.parse(key.value) : undefined
}

function answerOf(messages: readonly Message[]): string {
  return messages
    .filter(({ role }) => role === 'assistant')
    .map(textOf)
    .filter(Boolean)
    .join('\n\n')
}
