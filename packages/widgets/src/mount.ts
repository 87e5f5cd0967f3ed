/** `mount()`: puts a chat into the page and gives a handle to it. */

import { DogearError, type AgentOptions } from '@dogear/core'
import type { Session, TurnResult } from '@dogear/worker'
import type { ChatMode, ChatProps } from './chat/chat.tsx'
import type { OpensSessions } from './connect.ts'
import { defineElements } from './elements/define-elements.ts'
import type { ChatElement } from './elements/chat-element.ts'
import type { DogearEvents } from './events.ts'

export interface MountOptions extends Omit<ChatProps, 'session' | 'open' | 'onEvent' | 'starters'> {
  /** The agent to talk to. Without one, say `endpoint`. */
  agent?: OpensSessions
  /** What OpenAI clients call baseURL. */
  endpoint?: string
  /** The proxy's alias for a model. */
  model?: string
  /** Whose sessions these are. */
  user?: string
  token?: AgentOptions['token']
  tools?: AgentOptions['tools']
  /** An open session, the id of one, or `new`. Without it, where this user left off. */
  session?: Session | string
  /** Open at once; otherwise as the visitor left it. */
  open?: boolean
  /** Up to four first messages to pick from. */
  starters?: readonly string[]
}

export interface ChatHandle {
  open(): void
  close(): void
  toggle(): void
  /** Sends a message as if the visitor had written it; resolves when the agent rests. */
  send(text: string): Promise<TurnResult>
  /** Changes options; what is not named stays. */
  update(options: MountOptions): void
  /** Listens to an event of the chat; returns its end. */
  on<Type extends keyof DogearEvents>(
    type: Type,
    listener: (event: CustomEvent<DogearEvents[Type]>) => void,
  ): () => void
  /** The session, once it is open. */
  readonly session: Promise<Session>
  readonly element: HTMLElement
  /** Takes the chat out of the page and lets go of its session; nothing is deleted. */
  destroy(): void
}

/** Into the target, or without one as a launcher in the page's corner. */
export function mount(target?: string | Element | MountOptions, options: MountOptions = {}): ChatHandle {
  if (typeof target === 'object' && !(target instanceof Element)) return mount(undefined, target)
  defineElements()
  const parent = target === undefined ? undefined : elementOf(target)
  const element = document.createElement('dogear-chat') as ChatElement
  const mode: ChatMode = target === undefined ? 'popup' : 'inline'
  assign(element, { mode, ...options })
  if (parent) parent.append(element)
  else whenThereIsABody(() => document.body.append(element))
  return handleOf(element)
}

/** A script in the head runs before there is one. */
function whenThereIsABody(ready: () => void): void {
  if (document.body) ready()
  else document.addEventListener('DOMContentLoaded', ready, { once: true })
}

function elementOf(target: string | Element): Element {
  const element = typeof target === 'string' ? document.querySelector(target) : target
  if (element) return element
  throw new DogearError(
    'input-invalid',
    `mount() found no element for ${JSON.stringify(target)}. Call it after that element is in the page.`,
  )
}

function handleOf(element: ChatElement): ChatHandle {
  return {
    open: () => element.show(true),
    close: () => element.show(false),
    toggle: () => element.show(),
    send: (text) => element.send(text),
    update: (options) => assign(element, options),
    on(type, listener) {
      const heard = listener as EventListener
      element.addEventListener(`dogear-${type}`, heard)
      return () => element.removeEventListener(`dogear-${type}`, heard)
    },
    get session() {
      return element.ready
    },
    element,
    destroy: () => element.remove(),
  }
}

const properties = ['agent', 'session', 'tools', 'token', 'components', 'strings'] as const

function assign(element: ChatElement, { starters, ...options }: MountOptions): void {
  for (const [name, value] of Object.entries(options)) {
    if ((properties as readonly string[]).includes(name)) Object.assign(element, { [name]: value })
    else if (typeof value === 'string' || value === true) element.setAttribute(name, value === true ? '' : value)
    else element.removeAttribute(name)
  }
  if (starters) element.replaceChildren(...starters.map(starterButton))
}

function starterButton(text: string): HTMLElement {
  const button = document.createElement('button')
  button.slot = 'starter'
  button.textContent = text
  return button
}
