/** Words being changed where they stand: Enter takes them, Escape leaves them as they were. */

import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { textOf, type Message } from '@dogear/core'
import { useWidget } from '../context.ts'

type Content = Message['content']

interface EditorProps {
  readonly content: Content
  /** On the button that takes the words. */
  readonly action: string
  /** Beside the buttons: what is good to know before. */
  readonly children?: ComponentChildren
  readonly onTake: (content: NonNullable<Content>) => void
  readonly onLeave: () => void
  /** Told the words when the editor goes away before they were taken or left. */
  readonly onLost?: (text: string) => void
}

export function Editor({ content, action, children, onTake, onLeave, onLost }: EditorProps) {
  const { strings } = useWidget()
  const field = useRef<HTMLTextAreaElement>(null)
  const isOver = useRef(false)
  const before = textOf({ content })
  useLayoutEffect(() => {
    const { current } = field
    current!.focus()
    current!.setSelectionRange(-1, -1)
    return () => {
      if (!isOver.current) onLost?.(current!.value)
    }
  }, [])
  const leave = () => {
    isOver.current = true
    onLeave()
  }
  const take = () => {
    const text = field.current!.value.trim()
    if (text) onTake(withText(content, text))
    leave()
  }
  return (
    <form
      class="words editor"
      onSubmit={(event) => {
        event.preventDefault()
        take()
      }}
    >
      <textarea
        ref={field}
        class="slip"
        rows={2}
        aria-label={strings.editing}
        enterkeyhint="send"
        onKeyDown={(event) => {
          if (event.isComposing || (event.key !== 'Escape' && (event.key !== 'Enter' || event.shiftKey))) return
          event.preventDefault()
          // A popup closes on Escape too.
          event.stopPropagation()
          if (event.key === 'Enter') take()
          else leave()
        }}
      >
        {before}
      </textarea>
      <p class="meta">{children}</p>
      <button class="button" type="button" onClick={leave}>
        {strings.cancel}
      </button>
      <button class="button primary" type="submit">
        {action}
      </button>
    </form>
  )
}

/** Whether words are being changed, and the button that began it: Escape must not lose the keyboard's place. */
export function useEditing() {
  const isEditing = useSignal(false)
  const button = useRef<HTMLButtonElement>(null)
  const leave = () => {
    isEditing.value = false
    // After the button is there again.
    requestAnimationFrame(() => button.current?.focus())
  }
  return { isEditing, button, leave }
}

/** Pictures that came with the words stay with them. */
function withText(content: Content, text: string): NonNullable<Content> {
  if (typeof content !== 'object' || content === null) return text
  return [...content.filter(({ type }) => type !== 'text'), { type: 'text', text }]
}
