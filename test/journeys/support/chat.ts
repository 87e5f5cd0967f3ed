/** The chat as a visitor finds it. Locators see through its open shadow root. */
import type { Locator, Page } from 'playwright-core'

export interface Chat {
  readonly element: Locator
  readonly launcher: Locator
  readonly panel: Locator
  readonly composer: Locator
  /** The line under the heading: "Saved", "Working", "Waiting for you" … */
  readonly status: Locator
  /** What the visitor and the agent said. */
  readonly conversation: Locator
  readonly cards: Locator
  /** The words that wait for their turn, a row each. */
  readonly queue: Locator
  readonly plan: Locator
  /** Opens a closed launcher. */
  open(): Promise<void>
  send(text: string): Promise<void>
  press(button: string | RegExp): Promise<void>
  /** Until these words are in the conversation. */
  says(words: string | RegExp): Promise<void>
  /** Until these words are anywhere in the chat, also in what it asks. */
  shows(words: string | RegExp): Promise<void>
  /** Until the line under the heading reads so. */
  is(status: string): Promise<void>
  /** Every message's words, in order, without the marks where they were picked up. */
  read(): Promise<string[]>
}

export function chatOf(page: Page, selector = 'dogear-chat'): Chat {
  const element = page.locator(selector)
  const launcher = element.locator('.launcher')
  const composer = element.locator('.composer textarea')
  const status = element.locator('header .status')
  const conversation = element.getByRole('log')
  return {
    element,
    launcher,
    panel: element.locator('.frame'),
    composer,
    status,
    conversation,
    cards: element.locator('.card'),
    queue: element.locator('.queue li'),
    plan: element.locator('.strip'),
    open: () => launcher.click(),
    async send(text) {
      await composer.fill(text)
      await composer.press('Enter')
    },
    press: (button) => element.getByRole('button', { name: button, exact: typeof button === 'string' }).click(),
    says: (words) => conversation.filter({ hasText: words }).waitFor(),
    shows: (words) => element.getByText(words).first().waitFor(),
    is: (words) => status.filter({ hasText: words }).waitFor(),
    read: () =>
      element.locator('article[data-role]').evaluateAll((messages) =>
        messages.map((message) => {
          const words = (message.querySelector('.slip') ?? message).cloneNode(true) as Element
          for (const mark of words.querySelectorAll('.resumed')) mark.replaceWith(' ')
          return words.textContent?.trim() ?? ''
        }),
      ),
  }
}
