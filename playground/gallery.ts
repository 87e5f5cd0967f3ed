/** Every state of the widgets, from sessions whose signals are set by hand. `?state=approval&theme=dark&host=loud` shows one. */

import { defineElements } from '../packages/widgets/src/index.ts'
import type { ChatElement } from '../packages/widgets/src/elements/chat-element.ts'
import { reachState } from '../packages/widgets/src/testing/reach-state.ts'
import { widgetStates } from '../packages/widgets/src/testing/widget-states.ts'

const query = new URLSearchParams(location.search)
const only = query.get('state')
document.documentElement.dataset.host = query.get('host') ?? (query.get('theme') === 'dark' ? 'dark' : 'white')
document.documentElement.dir = query.get('dir') ?? 'ltr'
if (only) document.documentElement.dataset.single = ''

defineElements()
for (const name of only ? [only] : Object.keys(widgetStates)) document.querySelector('main')!.append(figureOf(name))
for (const name of Object.keys(widgetStates)) document.querySelector('nav')!.append(linkTo(name), ' ')

function figureOf(name: string): HTMLElement {
  const figure = document.createElement('figure')
  const caption = document.createElement('figcaption')
  caption.textContent = name
  figure.append(caption, chatOf(name))
  return figure
}

function chatOf(name: string): HTMLElement {
  const chat = document.createElement('dogear-chat') as ChatElement
  void reachState(chat, name)
  chat.setAttribute('heading', 'Concierge')
  chat.setAttribute('mode', query.get('mode') ?? (name === 'launcher' ? 'popup' : 'inline'))
  if (query.has('theme')) chat.setAttribute('theme', query.get('theme')!)
  if (query.has('approval')) chat.setAttribute('approval', query.get('approval')!)
  if (name === 'empty') {
    chat.setAttribute('greeting', 'Where would you like to go?')
    for (const text of ['Plan a weekend in Lisbon', 'Find a quiet hotel', 'What should I pack?']) {
      const starter = document.createElement('button')
      starter.slot = 'starter'
      starter.textContent = text
      chat.append(starter)
    }
  }
  return chat
}

function linkTo(name: string): HTMLElement {
  const link = document.createElement('a')
  link.href = `?state=${name}`
  link.textContent = name
  return link
}
