/** The sheet of paper: header, plan, conversation, composer, and the fold that says how things are. */

import type { ErrorData } from '@dogear/core'
import type { Session, SessionInfo } from '@dogear/worker'
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { useWidget } from '../context.ts'
import { Icon } from '../icon.tsx'
import { PlanStrip } from '../plan/plan-strip.tsx'
import { RequestSheet } from '../requests/request-sheet.tsx'
import { Composer } from './composer.tsx'
import { useDraft } from './draft.ts'
import { EmptyState } from './empty-state.tsx'
import { foldState } from './fold-state.ts'
import { InboxList } from './inbox-list.tsx'
import { MessageList } from './message-list.tsx'
import { ErrorNotice } from './notice.tsx'
import { Queue } from './queue.tsx'
import type { Inbox } from './use-inbox.ts'

interface PanelProps {
  readonly session?: Session
  readonly failure?: ErrorData
  readonly heading?: string
  readonly greeting?: string
  readonly placeholder?: string
  readonly starters?: readonly string[]
  readonly approval?: 'sheet' | 'modal'
  readonly inbox?: Inbox
  /** Other sessions that wait for the person. */
  readonly elsewhere: readonly SessionInfo[]
  readonly onClose?: () => void
  readonly onReconnect?: () => void
}

export function Panel({ session, failure, heading, inbox, elsewhere, onClose, onReconnect, ...props }: PanelProps) {
  const { strings } = useWidget()
  const composer = useRef<HTMLTextAreaElement>(null)
  const draft = useDraft()
  const isInboxOpen = useSignal(false)
  const state = failure ? 'error' : foldState(session)
  const title = heading ?? strings.heading

  useEffect(() => {
    // Only for a visitor who just opened it: a panel that comes back after a navigation must not take the focus.
    if (onClose && navigator.userActivation?.isActive) composer.current?.focus()
  }, [])

  const empty = <EmptyState {...props} onPick={(text) => session?.send(text)} />
  return (
    <section
      class="frame"
      part="panel"
      aria-label={title}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && onClose && !event.defaultPrevented) onClose()
      }}
    >
      <i class="shade" />
      <div class="sheet">
        <header part="header">
          <div class="titles">
            <h2>{title}</h2>
            <p class="status" role="status">
              {strings.status[state]}
            </p>
          </div>
          {elsewhere.length > 0 && (
            <button
              class="quiet"
              type="button"
              aria-label={strings.inbox(elsewhere.length)}
              aria-expanded={isInboxOpen.value}
              onClick={() => (isInboxOpen.value = !isInboxOpen.value)}
            >
              <span class="count">{elsewhere.length}</span>
            </button>
          )}
          {onClose && (
            <button class="quiet" type="button" aria-label={strings.close} onClick={onClose}>
              <Icon name="cross" />
            </button>
          )}
        </header>
        {isInboxOpen.value && <InboxList sessions={elsewhere} onOpen={(id) => inbox?.open(id)} />}
        {session && <PlanStrip />}
        {session ? (
          <MessageList empty={empty} />
        ) : (
          <div class="list">{failure ? <ErrorNotice error={failure} onRetry={onReconnect} /> : empty}</div>
        )}
        {session && <Queue draft={draft} field={composer} />}
        <RequestSheet approval={props.approval}>
          <Composer session={session} draft={draft} field={composer} placeholder={props.placeholder} />
        </RequestSheet>
      </div>
      <i class="ear" />
    </section>
  )
}
