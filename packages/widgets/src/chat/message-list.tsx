/** The conversation: turns, what is on its way, and a place that is kept while all of it grows. */

import type { VNode } from 'preact'
import { useRef } from 'preact/hooks'
import type { Message } from '@dogear/core'
import { useWidget } from '../context.ts'
import { Icon } from '../icon.tsx'
import { AnsweredElsewhere } from '../requests/answered-elsewhere.tsx'
import { Announcer } from './announcer.tsx'
import { TurnNotice } from './notice.tsx'
import { Outbox } from './outbox.tsx'
import { splitTurns } from './turn-rows.ts'
import { Turn } from './turn.tsx'
import { useScroll } from './use-scroll.ts'

export function MessageList({ empty }: { empty: VNode }) {
  const { session, strings } = useWidget()
  const turns = useTurns()
  const { list, content, top, isAtEnd, jump } = useScroll()
  const isEmpty = turns.length + session.unsaved.value.length === 0

  return (
    <div class="conversation" data-empty={isEmpty || undefined}>
      <div
        class="list"
        part="list"
        role="log"
        aria-live="off"
        aria-label={strings.conversation}
        tabIndex={0}
        ref={list}
      >
        <div class="turns" ref={content}>
          {session.hasOlder.value && (
            <p class="meta older" ref={top}>
              {strings.older}
            </p>
          )}
          {isEmpty && !session.hasOlder.value && empty}
          {turns}
          {turns.length === 0 && <TurnNotice />}
          <AnsweredElsewhere />
          <Outbox />
        </div>
      </div>
      {!isAtEnd.value && (
        <button class="jump" type="button" onClick={jump}>
          <Icon name="down" />
          {strings.jump}
        </button>
      )}
      <Announcer />
    </div>
  )
}

/** Turns as vnodes that stay the same objects while the turn does, so that a long list costs nothing to draw again. */
function useTurns() {
  const { session } = useWidget()
  const drawn = useRef(new WeakMap<Message, Drawn>())
  // It has room below it, so that it starts at the top of the list.
  const begun = useRef<string>(undefined)

  const pending = splitTurns(session.pending.value)
  const turns = [...splitTurns(session.messages.value), ...pending]
  if (pending.length > 0) begun.current = pending.at(-1)![0]!.id

  return turns.map((messages, index) => {
    const first = messages[0]!
    const facts = {
      isLive: index >= turns.length - pending.length,
      isCurrent: first.id === begun.current,
      isLast: index === turns.length - 1,
    }
    const before = drawn.current.get(first)
    if (before && isSame(before, { messages, ...facts })) return before.view
    const view = <Turn key={first.id} messages={messages} {...facts} />
    drawn.current.set(first, { messages, ...facts, view })
    return view
  })
}

interface Drawn {
  readonly messages: readonly Message[]
  readonly isLive: boolean
  readonly isCurrent: boolean
  readonly isLast: boolean
  readonly view: VNode
}

function isSame(before: Drawn, now: Omit<Drawn, 'view'>): boolean {
  if (before.isLive !== now.isLive || before.isCurrent !== now.isCurrent || before.isLast !== now.isLast) return false
  const { messages } = before
  return messages.length === now.messages.length && messages.every((message, index) => message === now.messages[index])
}
