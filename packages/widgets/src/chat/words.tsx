/** The person's words in a turn, with what may be done about them: edit them, or look at another version. */

import type { Message } from '@dogear/core'
import { useWidget } from '../context.ts'
import { Icon } from '../icon.tsx'
import { Editor, useEditing } from './editor.tsx'
import { useIsIdle, Versions } from './versions.tsx'
import { UserMessage } from './user-message.tsx'

export function Words({ message }: { message: Message }) {
  const { session, strings, components } = useWidget()
  const isIdle = useIsIdle()
  const { isEditing, button, leave } = useEditing()
  const User = components.UserMessage ?? UserMessage
  if (isEditing.value && isIdle) {
    const messages = session.messages.value
    const hasActed = messages.slice(messages.indexOf(message)).some(({ role }) => role === 'tool')
    return (
      <Editor
        content={message.content}
        action={strings.send}
        onTake={(content) => session.edit(message.id, content)}
        onLeave={leave}
      >
        {hasActed && strings.staysDone}
      </Editor>
    )
  }
  return (
    <div class="words">
      <User message={message} />
      {isIdle && (
        <div class="actions">
          <button ref={button} type="button" onClick={() => (isEditing.value = true)}>
            <Icon name="edit" />
            {strings.edit}
          </button>
          <Versions id={message.id} />
        </div>
      )}
    </div>
  )
}
