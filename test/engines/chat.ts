/** The chat as a visitor finds it, in any engine: found by what is written on it, used by real clicks and keys. */
import { until } from '../journeys/support/until.ts'
import type { Tab } from './engine.ts'

export interface Chat {
  send(text: string): Promise<void>
  /** Clicks the button or choice with these words on it. */
  press(words: string): Promise<void>
  /** Writes at the end of the field with these words on it. */
  write(field: string, text: string): Promise<void>
  /** Brings what does not fit on the screen there, until it can be approved. */
  lookThrough(): Promise<void>
  /** Until these words are in the chat. */
  shows(words: string): Promise<void>
  /** Every message's words, in order, without the marks where they were picked up. */
  read(): Promise<string[]>
}

export function chatOf(tab: Tab): Chat {
  async function click(finding: string, what: string): Promise<void> {
    let place: { x: number; y: number } | null = null
    await until(async () => {
      place = await tab.evaluate(`${chat}; return placeOf(${finding})`)
      return place !== null
    }, what)
    await tab.click(place!.x, place!.y)
  }
  return {
    async send(text) {
      await click(`chat?.querySelector('.composer textarea:enabled')`, 'there is a composer')
      await tab.type(text)
      await tab.enter()
    },
    press: (words) => click(`withWords(${JSON.stringify(words)})`, `"${words}" can be pressed`),
    async write(field, text) {
      await click(`withWords(${JSON.stringify(field)})?.control`, `there is a field "${field}"`)
      await tab.type(text)
    },
    lookThrough: () =>
      until(
        () =>
          tab.evaluate(`${chat}
            chat.querySelector('.more')?.click()
            return chat.querySelector('.request .primary:enabled') !== null`),
        'everything was seen',
      ),
    shows: (words) =>
      until(
        () => tab.evaluate(`${chat}; return (chat?.textContent ?? '').includes(${JSON.stringify(words)})`),
        `the chat shows "${words}"`,
      ),
    read: () =>
      tab.evaluate(`${chat}
        return [...chat.querySelectorAll('article[data-role]')].map((message) => {
          const words = (message.querySelector('.slip') ?? message).cloneNode(true)
          for (const mark of words.querySelectorAll('.resumed')) mark.replaceWith(' ')
          return words.textContent.trim()
        })`),
  }
}

/** Runs in the page. What is under something else, or off the screen, has no place. */
const chat = `
  const chat = document.querySelector('dogear-chat')?.shadowRoot
  const pressed = [...(chat?.querySelectorAll('button, summary, label') ?? [])]
  const withWords = (words) =>
    pressed.find((each) => each.textContent.trim() === words || each.getAttribute('aria-label') === words) ??
    pressed.find((each) => each.matches('label') && each.textContent.includes(words))
  const placeOf = (element) => {
    const before = element?.getBoundingClientRect()
    element?.scrollIntoView({ block: 'nearest' })
    const { x, y, width, height } = element?.getBoundingClientRect() ?? {}
    // What has just moved takes no decision yet: it is brought into view long before it can be pressed.
    const canPress = width > 0 && y === before.y && !element.disabled
    return canPress ? { x: x + width / 2, y: y + height / 2 } : null
  }
`
