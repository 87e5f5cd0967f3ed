/** The chat: a launcher and its panel, or the panel alone. */

import { useSignal, type Signal } from '@preact/signals'
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import type { ErrorData } from '@dogear/core'
import { watchSession } from '../events.ts'
import { allKinds, useRequests } from '../requests/use-requests.ts'
import { ShadowHost } from '../shadow-host.tsx'
import { forgotten, uiState, type UiState } from '../ui-state.ts'
import { WidgetRoot, type WidgetProps } from '../widget-root.tsx'
import { foldState } from './fold-state.ts'
import { Launcher } from './launcher.tsx'
import { Panel } from './panel.tsx'
import { badgeTitle } from './title-badge.ts'
import { useInbox, type Inbox } from './use-inbox.ts'

export interface ChatProps extends WidgetProps {
  /** `popup`: a launcher in the corner. `panel`: docked at the side, opened by the page. `inline`: fills its box, the default. `page`: the whole page. */
  mode?: ChatMode
  /** Whether a popup or panel is open. Without it, as the visitor left it; give a signal to keep it in your hands. */
  open?: boolean | Signal<boolean>
  /** Which corner: `end` is right where text runs left to right. */
  position?: 'bottom-end' | 'bottom-start'
  /** Who the visitor talks to. */
  heading?: string
  /** The first line of an empty conversation. */
  greeting?: string
  placeholder?: string
  /** Up to four first messages to pick from. */
  starters?: readonly string[]
  /** Approvals over the composer, or as a dialog over the page. */
  approval?: 'sheet' | 'modal'
  /** `title`, the default: what waits is counted before the page's title. `quiet`: the title is left alone. */
  attention?: 'title' | 'quiet'
}

export type ChatMode = 'popup' | 'panel' | 'inline' | 'page'

/** The chat for a Preact tree; `dogear-chat` is the same as an element. */
export function Chat(props: ChatProps) {
  const agent = props.session?.agent
  const memory = useMemo(() => uiState({ user: agent?.user, agent: agent?.name ?? 'agent' }), [agent])
  return <ShadowHost view={<ChatView {...props} memory={memory} />} />
}

export interface ChatViewProps extends ChatProps {
  readonly memory: UiState
  /** Why there is no session. */
  readonly failure?: ErrorData
  readonly onReconnect?: () => void
  readonly inbox?: Inbox
}

export function ChatView({ mode = 'inline', position = 'bottom-end', open, ...props }: ChatViewProps) {
  const { session, memory, onEvent } = props
  const canClose = mode === 'popup' || mode === 'panel'
  const ownOpen = useSignal(typeof open === 'boolean' ? open : (memory.get<boolean>('open') ?? mode === 'panel'))
  const opened = typeof open === 'object' ? open : ownOpen
  const isOpen = !canClose || opened.value
  const launcher = useRef<HTMLButtonElement>(null)
  useLayoutEffect(() => session && onEvent && watchSession(session, onEvent), [session, onEvent])
  const isQuiet = props.attention === 'quiet'
  const waiting = useInbox(props.inbox, session)
  const elsewhere = waiting.value
  useEffect(() => (session && !isQuiet ? badgeTitle({ session, waiting }) : undefined), [session, isQuiet, waiting])
  const panelKey = usePanelKey(session?.id, memory)

  useEffect(() => {
    if (typeof open === 'boolean') ownOpen.value = open
  }, [open])
  useToldOnce(isOpen, () => {
    memory.set('open', isOpen)
    onEvent?.(isOpen ? 'open' : 'close', {})
    if (!isOpen) launcher.current?.focus()
  })

  return (
    <WidgetRoot
      {...props}
      data={{
        'data-mode': mode,
        'data-position': position,
        'data-state': props.failure ? 'error' : foldState(session),
      }}
    >
      {mode === 'popup' && !isOpen && (
        <Launcher
          hasSession={!!session}
          elsewhere={elsewhere.length}
          button={launcher}
          onOpen={() => (opened.value = true)}
        />
      )}
      {mode === 'panel' && !isOpen && session && <Untold />}
      {isOpen && (
        <Panel
          {...props}
          elsewhere={elsewhere}
          key={panelKey}
          onClose={canClose ? () => (opened.value = false) : undefined}
        />
      )}
    </WidgetRoot>
  )
}

/** A closed panel has no launcher to show what waits: it tells the page, which opens it. */
function Untold() {
  useRequests(allKinds, 0)
  return null
}

/**
 * Another panel for another session, and after a logout, but not for the session it was waiting for: focus and an early
 * Enter would be lost.
 */
function usePanelKey(sessionId: string | undefined, memory: UiState): number {
  const known = useRef({ sessionId, memory, forgotten: forgotten.value, key: 0 })
  const { current } = known
  const isAnother =
    current.memory !== memory ||
    current.forgotten !== forgotten.value ||
    (current.sessionId !== undefined && current.sessionId !== sessionId)
  known.current = { sessionId, memory, forgotten: forgotten.value, key: current.key + Number(isAnother) }
  return known.current.key
}

/** Calls back when a value changes, never for the value it begins with. */
function useToldOnce(value: boolean, changed: () => void): void {
  const known = useRef(value)
  useEffect(() => {
    if (known.current === value) return
    known.current = value
    changed()
  })
}
