/** Brings a chat into one of the named states, as its visitor would. */

import type { ChatElement } from '../elements/chat-element.ts'
import { drawn } from './in-the-page.ts'
import { scriptedSession } from './scripted-session.ts'
import { waitingSessions, widgetStates, widgetSteps } from './widget-states.ts'

export async function reachState(chat: ChatElement, name: string): Promise<void> {
  const session = scriptedSession(widgetStates[name])
  if (name === 'inbox') {
    chat.agent = { open: async () => session, sessions: { subscribe: (told) => (told(waitingSessions), () => {}) } }
  } else {
    chat.session = session
  }
  await settled()
  if (name === 'answered') {
    session.answeredElsewhere.value = { requestId: session.requests.value[0]!.id, by: 'Rui' }
    session.requests.value = []
    session.status.value = 'busy'
  }
  for (const [selector, words] of widgetSteps[name] ?? []) {
    const element = chat.shadowRoot!.querySelector<HTMLInputElement>(selector)!
    if (words === undefined) {
      element.click()
    } else {
      element.value = words
      element.dispatchEvent(new InputEvent('input', { bubbles: true }))
    }
    await drawn()
  }
  await settled()
}

/** Past every animation and the half second of Approve, which change colours. */
async function settled(): Promise<void> {
  await drawn()
  await new Promise((resolve) => setTimeout(resolve, 750))
}
