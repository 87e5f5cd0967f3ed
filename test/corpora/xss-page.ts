/** The page hostile texts are shown on: it renders them as the chat does, and says what should not be there. */

import { h, render } from 'preact'
import { Markdown } from '../../packages/widgets/src/markdown/markdown.tsx'

export interface XssPage {
  /** Shows each text whole, one after the other; returns what is wrong. */
  showWhole(texts: readonly string[]): string[]
  /** Shows a text as it streams, so many letters at a time, then whole. */
  showStreamed(text: string, letters: number): string[]
}

const allowedElements =
  'div p h3 h4 h5 h6 ul ol li blockquote pre code span button table thead tbody tr th td hr br a bdi strong em del'.split(
    ' ',
  )
const allowedAttributes = 'class dir role aria-label tabindex type start href title target rel'.split(' ')

const page: XssPage = {
  showWhole: (texts) => texts.flatMap((text) => problemsOf(showIn(newPlace(), text, false), text)),
  showStreamed(text, letters) {
    const place = newPlace()
    const problems: string[] = []
    for (let end = letters; end < text.length; end += letters) {
      const shown = text.slice(0, end)
      problems.push(...problemsOf(showIn(place, shown, true), shown))
    }
    return [...problems, ...problemsOf(showIn(place, text, false), text)]
  },
}

// A text that takes long to read is read less often: here every length is, however busy the machine.
performance.now = () => 0
Object.assign(window, { page })

function newPlace(): Element {
  const place = document.createElement('main')
  document.body.replaceChildren(place)
  return place
}

function showIn(place: Element, text: string, streaming: boolean): Element {
  render(h(Markdown, { text, streaming }), place)
  return place
}

function problemsOf(place: Element, text: string): string[] {
  const problems = [...place.querySelectorAll('*')].flatMap((element) => [
    ...(allowedElements.includes(element.localName) ? [] : [`<${element.localName}>`]),
    ...[...element.attributes].flatMap((attribute) => problemOf(attribute)),
  ])
  return problems.map((problem) => `${problem} in ${JSON.stringify(text.slice(-200))}`)
}

function problemOf({ name, value }: Attr): string[] {
  if (!allowedAttributes.includes(name)) return [`${name}="${value}"`]
  return name === 'href' && !/^(?:https?:\/\/|mailto:)/.test(value) ? [`href="${value}"`] : []
}
