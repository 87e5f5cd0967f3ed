/**
 * Every state of the widgets, from sessions whose signals are set by hand. `?widget=approval` shows those of one widget,
 * `?state=approval&theme=dark&host=loud` a single one.
 */

import { defineElements } from '../packages/widgets/src/index.ts'
import type { ChatElement } from '../packages/widgets/src/elements/chat-element.ts'
import { reachState } from '../packages/widgets/src/testing/reach-state.ts'
import { scriptedSession } from '../packages/widgets/src/testing/scripted-session.ts'
import { statesOf, widgetStates } from '../packages/widgets/src/testing/widget-states.ts'

const query = new URLSearchParams(location.search)
const only = query.get('state')
document.documentElement.dataset.host = query.get('host') ?? (query.get('theme') === 'dark' ? 'dark' : 'white')
document.documentElement.dir = query.get('dir') ?? 'ltr'
if (only) document.documentElement.dataset.single = ''

/** A widget by itself, beside the states it has in the chat. */
const alone: Readonly<
  Record<string, { element: string; state: string; attributes?: Readonly<Record<string, string>> }>
> = {
  card: { element: 'dogear-approval', state: 'destructive', attributes: { mode: 'card' } },
  picker: { element: 'dogear-question', state: 'question' },
  checklist: { element: 'dogear-plan', state: 'plan' },
}
const pages: Readonly<Record<string, readonly string[]>> = {
  chat: Object.keys(widgetStates).filter((name) => !Object.values(statesOf).flat().includes(name)),
  approval: [...statesOf.approval!, 'card'],
  question: [...statesOf.question!, 'picker'],
  plan: [...statesOf.plan!, 'checklist'],
}

/** Where nothing is asked in the chat itself. */
const hasNoDialog = new Set(['answered', 'launcher', 'inbox'])

defineElements()
const widget = query.get('widget')
const names = only ? [only] : widget ? pages[widget]! : Object.values(pages).flat()
document.querySelector('main')!.append(...names.map(figureOf))
document
  .querySelector('nav')!
  .append(
    ...Object.keys(pages).map((name) => linkTo(name, { widget: name })),
    linkTo('light', { theme: 'light' }),
    linkTo('dark', { theme: 'dark' }),
    linkTo('320 px', { width: '320' }),
    linkTo('400 px', { width: '400' }),
    linkTo('right to left', { dir: 'rtl' }),
  )
if (query.has('width')) document.documentElement.style.setProperty('--width', `${query.get('width')}px`)

function figureOf(name: string): HTMLElement {
  const figure = document.createElement('figure')
  const caption = document.createElement('figcaption')
  caption.append(linkTo(name, { state: name }))
  if (statesOf.approval!.includes(name) && !hasNoDialog.has(name))
    caption.append(' ', linkTo('as a dialog', { state: name, approval: 'modal' }))
  figure.append(caption, alone[name] ? elementOf(name) : chatOf(name))
  return figure
}

function elementOf(name: string): HTMLElement {
  const { element, state, attributes = {} } = alone[name]!
  const made = Object.assign(document.createElement(element), { session: scriptedSession(widgetStates[state]) })
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value)
  if (query.has('theme')) made.setAttribute('theme', query.get('theme')!)
  return made
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

/** The page as it is, but for this. */
function linkTo(words: string, change: Readonly<Record<string, string>>): HTMLElement {
  const link = document.createElement('a')
  const to = new URLSearchParams({ ...Object.fromEntries(query), ...change })
  if (change.widget) to.delete('state')
  link.href = `?${to}`
  link.textContent = words
  return link
}
