/** `dogear-chat`: opens a session by its attributes and properties, and shows it. */

import { signal } from '@preact/signals'
import { h } from 'preact'
import { toErrorData, type AgentOptions, type ErrorData } from '@dogear/core'
import type { Session, TurnResult } from '@dogear/worker'
import type { Inbox } from '../chat/use-inbox.ts'
import { ChatView, type ChatMode, type ChatProps } from '../chat/chat.tsx'
import { agentFor, type OpensSessions } from '../connect.ts'
import { reportError } from '../events.ts'
import { uiState } from '../ui-state.ts'
import { addProperties, BaseElement } from './base-element.ts'

/** Attributes that say which session to open. */
const opening = ['endpoint', 'model', 'user'] as const
/** Attributes that are passed on as they are. */
const looks = ['mode', 'position', 'heading', 'greeting', 'placeholder', 'approval', 'attention'] as const

/** The chats of this page that are connected, for widgets that share their session. */
export const chats = signal<readonly ChatElement[]>([])

export class ChatElement extends BaseElement {
  static override readonly observedAttributes = [...super.observedAttributes, ...opening, ...looks, 'session', 'open']
  static {
    addProperties(this, ['agent', 'tools', 'token'])
  }

  /** The agent to open sessions with. */
  declare agent: OpensSessions | undefined
  /** Tools of the page and a token, for an element that has no agent of its own. */
  declare tools: AgentOptions['tools']
  declare token: AgentOptions['token']

  /** The session that is shown, as others on the page follow it. */
  readonly shown = signal<Session | undefined>(undefined)
  readonly #failure = signal<ErrorData | undefined>(undefined)
  readonly #starters = signal<readonly string[]>([])
  readonly #isOpen = signal(false)
  readonly #children = new MutationObserver(() => this.#readStarters())
  /** What the shown session was opened by: another value means another session. */
  #source: readonly unknown[] = []
  #ready = deferred<Session>()
  #memory = uiState({ agent: '' })
  /** The other sessions of the same agent, and the way to them. */
  #inbox: Inbox | undefined

  /** The session that is shown; set one, or an id, to show another. */
  get session(): Session | undefined {
    return this.shown.peek()
  }
  set session(value: Session | string | undefined) {
    this.given.session = value
    this.refresh()
  }

  /** Resolves once a session is open. */
  get ready(): Promise<Session> {
    return this.#ready.promise
  }

  show(isOpen = !this.#isOpen.peek()): void {
    this.#isOpen.value = isOpen
  }

  async send(text: string): Promise<TurnResult> {
    const session = await this.ready
    return session.send(text)
  }

  override attributeChangedCallback(name: string, before: string | null, value: string | null): void {
    if (name === 'open' && this.#source.length > 0) this.show(value !== null)
    super.attributeChangedCallback(name, before, value)
  }

  override connectedCallback(): void {
    super.connectedCallback()
    if (!chats.peek().includes(this)) chats.value = [...chats.peek(), this]
    this.#children.observe(this, { childList: true, subtree: true, characterData: true })
    this.#readStarters()
  }

  protected override draw(): void {
    this.#openWhatIsAsked()
    super.draw()
  }

  protected override leave(): void {
    super.leave()
    chats.value = chats.peek().filter((each) => each !== this)
    this.#children.disconnect()
    this.#closeSession()
    this.#source = []
  }

  protected override view() {
    return h(ChatView, {
      ...this.sharedProps,
      ...(this.#texts(looks) as Pick<ChatProps, (typeof looks)[number]>),
      session: this.shown.value,
      open: this.#isOpen,
      starters: this.#starters.value,
      memory: this.#memory,
      failure: this.#failure.value,
      onReconnect: this.#reconnect,
      inbox: this.#inbox,
    })
  }

  #reconnect = () => {
    this.#source = []
    this.refresh()
  }

  #openWhatIsAsked(): void {
    const { agent, tools, token } = this
    const session = (this.given.session as Session | string | undefined) ?? this.text('session')
    const options = this.#texts(opening)
    const source = [session, agent, tools, token === undefined, ...Object.values(options)]
    if (this.#source.length > 0 && source.every((value, index) => value === this.#source[index])) return
    this.#closeSession()
    this.#source = source
    this.#memory = uiState({ user: agent?.user ?? options.user, agent: agent?.name ?? 'agent' })
    const mode = this.text('mode') as ChatMode | undefined
    this.#isOpen.value = this.hasAttribute('open') || (this.#memory.get('open') ?? mode === 'panel')

    // Read each time, so that a token set later is used too.
    const laterToken = token === undefined ? undefined : () => tokenText(this.token)
    const open = async () => {
      const opener = agent ?? agentFor({ ...options, tools, token: laterToken })
      const { sessions } = opener
      this.#inbox = sessions && { sessions, open: (id) => (this.session = id) }
      return opener.open(session as string | undefined)
    }
    this.#inbox = undefined
    const opened = typeof session === 'object' ? Promise.resolve(session) : open()
    opened.then(
      (shown) => this.#take(shown, source),
      (error: unknown) => {
        if (source !== this.#source) return
        this.#failure.value = toErrorData(error)
        reportError(this.#failure.value, this.emit)
      },
    )
  }

  #take(session: Session, source: readonly unknown[]): void {
    // The page changed its mind, or took the element away, while the session was opening.
    if (source !== this.#source) return session === source[0] ? undefined : session.close()
    this.shown.value = session
    this.#ready.resolve(session)
    this.emit('ready', { session })
  }

  #closeSession(): void {
    this.#failure.value = undefined
    const session = this.shown.peek()
    if (!session) return
    // A session the page gave is the page's to close.
    if (session !== this.#source[0]) session.close()
    this.shown.value = undefined
    this.#ready = deferred()
  }

  #texts<Name extends string>(names: readonly Name[]): Record<Name, string | undefined> {
    return Object.fromEntries(names.map((name) => [name, this.text(name)])) as Record<Name, string | undefined>
  }

  #readStarters(): void {
    const buttons = this.querySelectorAll('[slot="starter"]')
    this.#starters.value = [...buttons].map((button) => button.textContent?.trim() ?? '').filter(Boolean)
  }
}

function tokenText(token: AgentOptions['token']): string | Promise<string> {
  return typeof token === 'function' ? token() : (token ?? '')
}

interface Deferred<T> {
  readonly promise: Promise<T>
  readonly resolve: (value: T) => void
}

function deferred<T>(): Deferred<T> {
  let resolve!: Deferred<T>['resolve']
  const promise = new Promise<T>((settle) => (resolve = settle))
  return { promise, resolve }
}
