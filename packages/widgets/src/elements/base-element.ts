/** What all elements share: attributes and properties that redraw, events that reach the page, and their own shadow root. */

import { effect } from '@preact/signals'
import type { ComponentChild } from 'preact'
import type { DogearEvents, Emit } from '../events.ts'
import { renderShadow } from '../shadow-host.tsx'
import type { WidgetProps } from '../widget-root.tsx'

/** So that importing this in Node does not throw. */
const Base: typeof HTMLElement = globalThis.HTMLElement ?? Object

export abstract class BaseElement extends Base {
  static readonly observedAttributes = ['theme', 'accent', 'debug', 'framed', 'for']
  static {
    addProperties(this, ['components', 'strings'])
  }

  declare components: WidgetProps['components']
  declare strings: WidgetProps['strings']

  /** What the page set, by property. */
  protected readonly given: Record<string, unknown> = {}
  #stop: (() => void) | undefined
  #isScheduled = false

  connectedCallback(): void {
    // What a page set before the element was defined hides the setter; it is given to the setter.
    for (const [name, value] of Object.entries(this)) {
      if (!(name in Object.getPrototypeOf(this))) continue
      delete (this as Record<string, unknown>)[name]
      Object.assign(this, { [name]: value })
    }
    this.refresh()
  }

  disconnectedCallback(): void {
    // Moving an element in its document takes it out and puts it back at once.
    queueMicrotask(() => {
      if (!this.isConnected) this.leave()
    })
  }

  attributeChangedCallback(_name: string, _before: string | null, _value: string | null): void {
    this.refresh()
  }

  /** Reads attributes and properties again, once for all that change together. */
  refresh(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    queueMicrotask(() => {
      this.#isScheduled = false
      if (this.isConnected) this.draw()
    })
  }

  /** A view that follows the signals it reads. */
  protected abstract view(): ComponentChild

  protected draw(): void {
    this.#stop?.()
    this.#stop = effect(() => renderShadow(this, this.view()))
  }

  protected leave(): void {
    this.#stop?.()
    renderShadow(this, null)
  }

  protected text(name: string): string | undefined {
    return this.getAttribute(name) ?? undefined
  }

  protected get sharedProps(): WidgetProps {
    return {
      theme: this.text('theme') as WidgetProps['theme'],
      accent: this.text('accent'),
      debug: this.hasAttribute('debug') || undefined,
      framed: this.text('framed') as WidgetProps['framed'],
      components: this.components,
      strings: this.strings,
      onEvent: this.emit,
    }
  }

  readonly emit: Emit = <Type extends keyof DogearEvents>(type: Type, detail: DogearEvents[Type]) =>
    this.dispatchEvent(new CustomEvent(`dogear-${type}`, { detail, bubbles: true, composed: true, cancelable: true }))
}

/** Properties that redraw when they are set; their types are declared in the class. */
export function addProperties(element: { readonly prototype: object }, names: readonly string[]): void {
  for (const name of names) {
    Object.defineProperty(element.prototype, name, {
      get(this: { given: Record<string, unknown> }) {
        return this.given[name]
      },
      set(this: BaseElement & { given: Record<string, unknown> }, value: unknown) {
        this.given[name] = value
        this.refresh()
      },
    })
  }
}
