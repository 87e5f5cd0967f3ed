/** `dogear-plan`, `dogear-approval` and `dogear-question`: views of a session that a chat, or the page, has opened. */

import { signal } from '@preact/signals'
import { h, type ComponentType } from 'preact'
import type { Session } from '@dogear/worker'
import type { WidgetProps } from '../widget-root.tsx'
import { BaseElement } from './base-element.ts'
import { chats } from './chat-element.ts'

/** An element that shows this view. */
export function sessionElement(view: ComponentType<WidgetProps>): CustomElementConstructor {
  return class extends BaseElement {
    static override readonly observedAttributes = [...super.observedAttributes, 'mode']
    readonly #given = signal<Session | undefined>(undefined)

    /** The session to show; without one that of the chat named by `for`, else of the only chat on the page. */
    get session(): Session | undefined {
      return this.#given.value ?? chatFor(this.text('for'))?.shown.value
    }
    set session(value: Session | undefined) {
      this.#given.value = value
    }

    protected override view() {
      return h(view, { ...this.sharedProps, mode: this.text('mode'), session: this.session } as WidgetProps)
    }
  }
}

function chatFor(id: string | undefined) {
  if (id) return chats.value.find((chat) => chat.id === id)
  return chats.value.length === 1 ? chats.value[0] : undefined
}
