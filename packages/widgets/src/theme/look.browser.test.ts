/** What is promised of every state's looks, measured: words that can be read, and room for them on the smallest screen. */
import { afterEach, expect, test, vi } from 'vitest'
import { chatInPage, clearPage, drawn, find } from '../testing/in-the-page.ts'
import { lookThrough } from '../testing/look-through.ts'
import { reachState } from '../testing/reach-state.ts'
import { scriptedSession } from '../testing/scripted-session.ts'
import { widgetStates } from '../testing/widget-states.ts'

afterEach(clearPage)
vi.spyOn(console, 'error').mockImplementation(() => {})

test('at 320 px no state has words under 12 px, or words that are cut off', async () => {
  const wrong = await Promise.all(
    Object.keys(widgetStates).map(async (state) => {
      const words = await wordsOf(state)
      const tooSmall = words.filter((each) => parseFloat(getComputedStyle(each).fontSize) < 12)
      return [...tooSmall, ...words.filter(isCut)].map(
        ({ className, textContent }) => `${state}: .${className} ${textContent}`,
      )
    }),
  )
  expect(wrong.flat()).toEqual([])
})

test('on a screen 320 px high what is decided has room, and can be', async () => {
  const chat = chatInPage(scriptedSession(widgetStates.destructive))
  chat.style.cssText = 'width: 640px; height: 320px'
  await drawn()
  expect(find(chat, '.matter').clientHeight).toBeGreaterThan(140)
  await lookThrough(chat)
})

test('from right to left, words that do not run so keep their beginning, and stand where the others do', async () => {
  const chat = chatInPage()
  chat.dir = 'rtl'
  chat.style.cssText = 'width: 320px; height: 680px'
  await reachState(chat, 'inbox')
  const title = find(chat, '.inbox li:last-child .words')
  const box = title.getBoundingClientRect()
  const first = placeOfLetter(title, 0)
  expect(first.left).toBeGreaterThanOrEqual(box.left)
  expect(first.left).toBeLessThan(placeOfLetter(title, 5).left)
  const short = find(chat, '.inbox .words')
  const last = placeOfLetter(short, short.textContent.length - 1)
  expect(Math.abs(last.right - short.getBoundingClientRect().right)).toBeLessThan(2)
})

function placeOfLetter(element: Element, index: number): DOMRect {
  const range = document.createRange()
  range.setStart(element.firstChild!, index)
  range.setEnd(element.firstChild!, index + 1)
  return range.getBoundingClientRect()
}

/** Every element of a state that has words of its own. */
async function wordsOf(state: string): Promise<HTMLElement[]> {
  const chat = chatInPage()
  chat.style.cssText = 'width: 320px; height: 680px'
  await reachState(chat, state)
  for (const details of chat.shadowRoot!.querySelectorAll('details')) details.open = true
  await drawn()
  return [...chat.shadowRoot!.querySelectorAll<HTMLElement>('.root *')].filter(
    (each) =>
      !each.matches('.hidden, .hidden *') &&
      each.checkVisibility() &&
      [...each.childNodes].some((node) => node instanceof Text && node.data.trim()),
  )
}

/** Wider than its chat. What ends in dots, or scrolls by itself, is not cut. */
function isCut(element: HTMLElement): boolean {
  const { host } = element.getRootNode() as ShadowRoot
  const isWide = element.getBoundingClientRect().right > host.getBoundingClientRect().right
  return isWide && getComputedStyle(element).textOverflow !== 'ellipsis' && !element.closest('pre, table')
}
