/** One tool call: what it does, how it went, and on request with what and to what end. */

import { useSignal } from '@preact/signals'
import { useWidget, type WidgetContext } from '../context.ts'
import { durationText, leastShown } from '../duration.ts'
import { Icon, type IconName } from '../icon.tsx'
import { LongText, ValueList } from '../value-list.tsx'
import { isSettled, type CallState, type CallView } from './call-view.ts'

export function ToolCard({ call }: { call: CallView }) {
  const widget = useWidget()
  const { strings } = widget
  const isOpen = useSignal(false)
  const { state, result } = call
  const hasArguments = typeof call.args === 'object' && call.args !== null && Object.keys(call.args).length > 0

  return (
    <details
      class="card"
      part="card"
      data-state={state}
      onToggle={(event) => (isOpen.value = event.currentTarget.open)}
    >
      <summary>
        <Icon name={icons[state]} />
        <span class="label">
          {call.tool !== 'ask_user_question' ? call.label : isSettled(call) ? strings.asked : strings.asks}
        </span>
        <span class="hidden">{strings.call[state]}</span>
        <span class="meta">{cardEnd(call, widget)}</span>
      </summary>
      {isOpen.value && (
        <div class="inside">
          {hasArguments && <ValueList value={call.args} />}
          {result && (
            <div class="result">
              <p class="meta">{strings.result}</p>
              <Result text={result} />
            </div>
          )}
        </div>
      )}
    </details>
  )
}

const icons: Record<CallState, IconName> = {
  waiting: 'ring',
  asking: 'fold',
  running: 'dots',
  done: 'check',
  failed: 'alert',
  declined: 'dash',
  skipped: 'dash',
  unknown: 'unknown',
}

/** The reason when it failed, the state when it did not run, else what came of it. */
function cardEnd(call: CallView, widget: WidgetContext): string {
  const { state, summary, result, durationMs = 0 } = call
  if (state === 'failed') return firstLine(result) || widget.strings.call[state]
  if (state === 'running' || state === 'waiting') return ''
  if (state !== 'done') return widget.strings.call[state]
  const facts = [
    summary ?? answersOf(call),
    durationMs >= leastShown && durationText(durationMs, widget.strings, widget.language),
  ]
  return facts.filter(Boolean).join(' · ')
}

function firstLine(text = ''): string {
  return text.split('\n', 1)[0]!
}

/** What the person answered, for the card of a question. */
function answersOf({ tool, result }: CallView): string | undefined {
  if (tool !== 'ask_user_question' || !result) return undefined
  const value = parsedOrUndefined(result) as { answers?: readonly { values?: string[]; freeText?: string }[] }
  return value?.answers?.flatMap(({ values = [], freeText }) => (freeText ? [...values, freeText] : values)).join(', ')
}

function Result({ text }: { text: string }) {
  const value = text.length < 20_000 ? parsedOrUndefined(text) : undefined
  return typeof value === 'object' && value !== null ? <ValueList value={value} /> : <LongText text={text} />
}

function parsedOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Plain text is as good a result as any.
    return undefined
  }
}
