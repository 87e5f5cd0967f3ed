/** The events a widget tells its page about, and the watch that raises them. */

import { effect } from '@preact/signals'
import type { ErrorData, Message, Request, Status, Waiting } from '@dogear/core'
import type { Session } from '@dogear/worker'

/** The `detail` of each `dogear-…` event. All bubble, and cross shadow roots. */
export interface DogearEvents {
  ready: { readonly session: Session }
  status: { readonly status: Status; readonly waiting: Waiting | null }
  /** A finished message of the person or the agent. */
  message: { readonly message: Message }
  /** A finished tool call, as its result message. */
  tool: { readonly message: Message }
  /** Something waits for a person. `preventDefault()`: the page asks in its own way. */
  request: { readonly request: Request }
  error: { readonly error: ErrorData }
  open: Record<never, never>
  close: Record<never, never>
  /** A link in an answer was followed. `preventDefault()`: the page routes. */
  link: { readonly href: string }
}

/** Says whether nobody objected. */
export type Emit = <Type extends keyof DogearEvents>(type: Type, detail: DogearEvents[Type]) => boolean

/** Tells what happens in a session from now on; what is loaded already is history. Returns its end. */
export function watchSession(session: Session, emit: Emit): () => void {
  let reported: ErrorData | undefined
  const stops = [
    onChange(
      () => session.status.value + (session.waiting.value ?? ''),
      () => emit('status', { status: session.status.peek(), waiting: session.waiting.peek() }),
    ),
    watchMessages(session, (message) => emit(message.role === 'tool' ? 'tool' : 'message', { message })),
    effect(() => {
      const { connection, lastEnd } = session
      const error = connection.value.type === 'failed' ? connection.value.error : lastEnd.value?.error
      if (error && error !== reported) reportError(error, emit)
      reported = error
    }),
  ]
  return () => stops.forEach((stop) => stop())
}

/** A visitor reads one plain sentence; this is for whoever built the page. */
export function reportError(error: ErrorData, emit: Emit): void {
  console.error(`[dogear] ${error.code}: ${error.message}`, error.cause ?? '')
  emit('error', { error })
}

/** Calls back once for each message that is added after now. */
export function watchMessages(session: Session, added: (message: Message) => void): () => void {
  let last = viewOf(session).at(-1)?.id
  return effect(() => {
    const view = viewOf(session)
    // Gone after a rewind: then nothing is new.
    const known = last === undefined ? -1 : view.findLastIndex((message) => message.id === last)
    const isNew = last === undefined || known >= 0
    last = view.at(-1)?.id
    if (isNew) view.slice(known + 1).forEach(added)
  })
}

function viewOf(session: Session): readonly Message[] {
  return [...session.messages.value, ...session.pending.value]
}

function onChange(read: () => unknown, changed: () => void): () => void {
  let known = read()
  return effect(() => {
    const value = read()
    if (value === known) return
    known = value
    changed()
  })
}
