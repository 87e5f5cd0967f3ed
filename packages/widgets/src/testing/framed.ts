/** A page that asks for an approval, and tells whoever frames it whether it could be given. */

import { chatInPage, find, words } from './in-the-page.ts'
import { scriptedSession } from './scripted-session.ts'
import { widgetStates } from './widget-states.ts'

const attributes = Object.fromEntries(new URLSearchParams(location.search))
const chat = chatInPage(scriptedSession(widgetStates.approval), attributes)
setInterval(() => {
  if (!chat.shadowRoot?.querySelector('.request')) return
  const canApprove = !find<HTMLButtonElement>(chat, '.request .primary').disabled
  parent.postMessage({ canApprove, words: words(chat) }, '*')
}, 100)
