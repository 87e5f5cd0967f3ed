/** Elements put into a real page for one test, and ways to look at them. */

import type { ScriptedSession } from './scripted-session.ts'
import { defineElements } from '../elements/define-elements.ts'
import type { ChatElement } from '../elements/chat-element.ts'

export function chatInPage(session?: ScriptedSession, attributes: Record<string, string> = {}): ChatElement {
  const chat = elementInPage<ChatElement>('dogear-chat', attributes)
  if (session) chat.session = session
  return chat
}

export function elementInPage<T extends HTMLElement>(name: string, attributes: Record<string, string> = {}): T {
  defineElements()
  const element = document.createElement(name) as T
  for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, value)
  document.body.append(element)
  return element
}

export function clearPage(): void {
  document.body.replaceChildren()
  document.documentElement.removeAttribute('class')
  sessionStorage.clear()
  localStorage.clear()
}

/** A few frames and the tasks after them: signals are drawn, effects have run, what they changed is drawn too. */
export async function drawn(): Promise<void> {
  for (let frame = 0; frame < 3; frame++) {
    await new Promise(requestAnimationFrame)
    await new Promise((resolve) => setTimeout(resolve))
  }
}

export function find<T extends HTMLElement = HTMLElement>(host: Element, selector: string): T {
  const element = host.shadowRoot!.querySelector<T>(selector)
  if (!element) throw new Error(`Nothing matches ${selector} in ${host.localName}: ${words(host)}`)
  return element
}

export function has(host: Element, selector: string): boolean {
  return !!host.shadowRoot?.querySelector(selector)
}

/** What can be read in a widget. */
export function words(host: Element): string {
  return host.shadowRoot?.textContent ?? ''
}

export function button(host: Element, name: string): HTMLButtonElement {
  const buttons = [...host.shadowRoot!.querySelectorAll('button')]
  const found = buttons.find((each) => (each.getAttribute('aria-label') ?? each.textContent?.trim()) === name)
  if (!found) throw new Error(`No button "${name}"; there are: ${buttons.map((each) => each.textContent).join(', ')}`)
  return found
}
