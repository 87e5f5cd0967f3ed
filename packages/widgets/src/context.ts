/** What every part of a widget knows: its session, its words, and whom to tell. */

import type { ComponentType } from 'preact'
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Message } from '@dogear/core'
import type { Session } from '@dogear/worker'
import type { CallView } from './chat/call-view.ts'
import type { Emit } from './events.ts'
import type { Strings } from './strings.ts'
import type { UiState } from './ui-state.ts'

export interface WidgetContext {
  readonly session: Session
  readonly strings: Strings
  /** A BCP 47 tag for numbers and durations; the browser's own when absent. */
  readonly language?: string
  readonly components: Components
  readonly memory: UiState
  /** Shows causes to whoever looks at the page, not only in the console. */
  readonly debug: boolean
  /** Nothing may be approved here: another site frames this page. */
  readonly isRefused: boolean
  readonly emit: Emit
}

/** Parts of the chat a page may draw itself. */
export interface Components {
  /** A user's message. */
  UserMessage?: ComponentType<{ message: Message }>
  /** A tool call, from waiting to done. */
  ToolCard?: ComponentType<{ call: CallView }>
}

export const Widget = createContext<WidgetContext | null>(null)

export function useWidget(): WidgetContext {
  // Every view is rendered by WidgetRoot, which provides it.
  return useContext(Widget)!
}
