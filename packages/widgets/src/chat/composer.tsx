/** Where the person writes: one line growing to six, and one button that sends or stops. */

import { useSignal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useEffect } from 'preact/hooks'
import type { Session } from '@dogear/worker'
import { useWidget } from '../context.ts'
import { useGrow } from '../form/use-grow.ts'
import { Icon } from '../icon.tsx'
import type { Draft } from './draft.ts'

interface ComposerProps {
  readonly session?: Session
  readonly draft: Draft
  readonly field: RefObject<HTMLTextAreaElement | null>
  readonly placeholder?: string
}

export function Composer({ session, draft: { text: draft, write }, field, placeholder }: ComposerProps) {
  const { strings } = useWidget()
  const isHeld = useSignal(false)
  const isBusy = session?.status.value === 'busy'
  const isOffline = session?.connection.value.type === 'offline'
  const canStop = isBusy && !draft.value.trim()

  const send = () => {
    const text = draft.value.trim()
    // Held until the session is open, so that an early Enter is not for nothing.
    isHeld.value = !session
    if (!session || !text) return
    session.send(text)
    write('')
  }
  useEffect(() => {
    if (session && isHeld.value) send()
  }, [session])
  useGrow(field, draft.value)

  return (
    <form
      class="composer"
      part="composer"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <textarea
        ref={field}
        rows={1}
        value={draft.value}
        aria-label={strings.placeholder}
        placeholder={
          isOffline
            ? strings.placeholderOffline
            : isBusy
              ? strings.placeholderBusy
              : (placeholder ?? strings.placeholder)
        }
        enterkeyhint="send"
        onInput={(event) => write(event.currentTarget.value)}
        onKeyDown={(event) => {
          // An input method uses Enter to choose a word.
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
          event.preventDefault()
          send()
        }}
      />
      <button
        class="send"
        type={canStop ? 'button' : 'submit'}
        data-state={canStop ? 'stop' : 'send'}
        aria-label={canStop ? strings.stop : strings.send}
        onClick={canStop ? () => void session?.stop() : undefined}
      >
        <Icon name={canStop ? 'stop' : 'up'} />
      </button>
    </form>
  )
}
