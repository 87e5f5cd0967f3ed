/** Words that wait for their turn, above the composer: in order, honest about when, and still in the person's hands. */

import { useSignal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { isQueueHeld, textOf, type Queued } from '@dogear/core'
import { useWidget } from '../context.ts'
import { Icon, type IconName } from '../icon.tsx'
import type { Draft } from './draft.ts'
import { Editor, useEditing } from './editor.tsx'
import { foldState } from './fold-state.ts'

/** Below it, several messages fold to their number: the conversation needs what room there is. */
const leastHeight = 440

interface QueueProps {
  readonly draft: Draft
  readonly field: RefObject<HTMLTextAreaElement | null>
}

export function Queue({ draft, field }: QueueProps) {
  const { session, strings } = useWidget()
  const { queued, unsaved, status, lastEnd } = session
  const isIdle = status.value === 'idle'
  const coming = isIdle ? [] : unsaved.value.map(({ commandId, text }) => ({ commandId, content: text }))
  const count = queued.value.length + coming.length
  const isOver = useSignal(false)
  const places = usePlaces([...queued.value, ...coming], isOver.value)
  const isMany = places.length > 1
  const isOpen = useSignal(true)
  const box = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    isOpen.value = !isMany || box.current!.closest('.frame')!.clientHeight >= leastHeight
  }, [isMany])

  const isHeld = isIdle && isQueueHeld({ queue: queued.value, lastEnd: lastEnd.value })
  const words = isHeld ? strings.held : foldState(session) === 'offline' ? strings.unsent : strings.queued
  return (
    <div
      class="queue"
      part="queue"
      ref={box}
      onPointerEnter={() => (isOver.value = true)}
      onPointerLeave={() => (isOver.value = false)}
    >
      <p class="hidden" role="status">
        {count > 0 && `${words}: ${count}`}
      </p>
      {places.length > 0 && (
        <details
          open={isOpen.value}
          data-gone={count === 0 || undefined}
          onToggle={(event) => (isOpen.value = event.currentTarget.open)}
        >
          <summary class="meta">
            <Icon name="chevron" />
            {words}
            {isMany && <span class="chip">{count}</span>}
          </summary>
          <ol>
            {places.map(({ words: waiting, isGone }) => (
              <Waiting
                key={waiting.commandId}
                words={waiting}
                isGone={isGone}
                isSaved={queued.value.includes(waiting as Queued)}
                draft={draft}
                field={field}
              />
            ))}
          </ol>
        </details>
      )}
    </div>
  )
}

type Words = Pick<Queued, 'commandId' | 'content'>

interface WaitingProps extends QueueProps {
  readonly words: Words
  /** Sent or taken back: only its place is left. */
  readonly isGone: boolean
  readonly isSaved: boolean
}

function Waiting({ words: { commandId, content }, isGone, isSaved, draft, field }: WaitingProps) {
  const { session, strings } = useWidget()
  const { isEditing, button, leave } = useEditing()
  const row = useRef<HTMLLIElement>(null)
  const text = textOf({ content })
  // Nobody's words are lost because the others were sent first.
  const giveBack = (lost: string) => {
    if (lost !== text) draft.write([draft.text.peek(), lost].filter(Boolean).join('\n'))
  }
  const takeBack = () => {
    if (!draft.text.peek().trim()) draft.write(text)
    void session.unqueue(commandId)
  }
  useLayoutEffect(
    () => () => {
      // Whoever's keyboard was here goes on in the composer, not at the top of the page.
      if (row.current?.matches(':focus-within')) field.current?.focus()
    },
    [isGone],
  )
  const action = (icon: IconName, label: string, run: () => void) => (
    <button
      ref={icon === 'edit' ? button : undefined}
      class="quiet"
      type="button"
      aria-label={label}
      title={label}
      onClick={run}
    >
      <Icon name={icon} />
    </button>
  )
  return (
    <li ref={row} data-gone={isGone || undefined}>
      {isEditing.value && !isGone ? (
        <Editor
          content={content}
          action={strings.save}
          onTake={(changed) =>
            void session.editQueued(commandId, { content: changed }).then(({ refused }) => {
              if (refused !== undefined) giveBack(textOf({ content: changed }))
            })
          }
          onLeave={leave}
          onLost={giveBack}
        />
      ) : (
        <>
          <p class="words">{text}</p>
          {isSaved || isGone ? (
            <div>
              {action('edit', strings.edit, () => (isEditing.value = true))}
              {action('cross', strings.unqueue, takeBack)}
              {action('up', strings.sendNow, () => session.editQueued(commandId, { when: 'now' }))}
            </div>
          ) : (
            <span class="meta">{strings.saving}</span>
          )}
        </>
      )}
    </li>
  )
}

interface Place {
  readonly words: Words
  readonly isGone: boolean
}

/** Under a pointer nothing moves: what leaves keeps its place, and what was beside it is not clicked instead. */
function usePlaces(waiting: readonly Words[], isOver: boolean): readonly Place[] {
  const places = useRef<readonly Place[]>([])
  const before = isOver ? places.current : []
  const known = new Set(before.map(({ words }) => words.commandId))
  places.current = [
    ...before.map(({ words }) => {
      const still = waiting.find(({ commandId }) => commandId === words.commandId)
      return { words: still ?? words, isGone: !still }
    }),
    ...waiting.filter(({ commandId }) => !known.has(commandId)).map((words) => ({ words, isGone: false })),
  ]
  return places.current
}
