/** Sessions that earlier versions left in every way, as a visitor sees each of them in today's chat. */
/// <reference types="vite/client" />
import { openMemoryStore } from '@dogear/store'
import { pause, type Answer, type Script } from '@dogear/testing'
import { mount } from '@dogear/widgets'
import { afterEach, expect, test, vi } from 'vitest'
import { device } from '../device.ts'
import { writeRecords, type Records } from './records.ts'
import { stories } from './stories.ts'

const kept = Object.entries(
  import.meta.glob<Records & { story: string }>('./*/*.json', { eager: true, import: 'default' }),
)

/** By story, what must stand where before anybody does anything. */
const shown: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'a finished turn': { '[role=log]': ['Three nights in Lisbon', 'Three nights, then.'] },
  'an answer cut in the middle': { '[role=log]': ['Count to three', 'One, two,'] },
  'an approval that waits': {
    '[role=log]': ['Book it', 'Shall I?'],
    '.card': ['Book a room'],
    '.request': ['Book a room?', 'Casa do Rio', '3'],
  },
  'a question that waits': { '[role=log]': ['Find a hotel'], '.request': ['Which area?', 'Alfama', 'Belém'] },
  'a call whose outcome nobody knows': {
    '[role=log]': ['Book it'],
    '.card': ['Book a room'],
    '.request': ['Did it happen? Book a room', 'Casa do Rio'],
  },
  'a plan, and words that wait their turn': {
    '[role=log]': ['Plan a weekend'],
    '.strip': ['Look'],
    '.queue': ['And a table for two'],
  },
  'an agent at work for another': {
    '[role=log]': ['Have it booked'],
    '.card': ['Booker'],
    '.request': ['Book a room?', 'Casa do Rio'],
  },
  'calls that are allowed for good': {
    '[role=log]': ['Book it', 'Booked.', 'And the Sol', 'Booked, too.'],
    '.card': ['Book a room'],
  },
  'an answer that came second': { '[role=log]': ['Book it', 'Not booked.'], '.card': ['Book a room', 'You said no'] },
  'an answer that a guardrail replaced': { '[role=log]': ['The code?', 'I cannot say.'] },
  'a result that came when the session was another’s': { '[role=log]': ['Book it'], '.card': ['Book a room'] },
  'a branch, and a call undone': { '[role=log]': ['Good evening', 'Good evening.'] },
  'a rewind cut in the middle': { '[role=log]': ['Hi', 'Hello.'] },
  'a conversation summed up': { '[role=log]': ['A room in Lisbon', 'Three rooms.'], '.card': ['3 actions'] },
  'a note between two steps': { '[role=log]': ['A room in Lisbon', 'Three rooms.'], '.card': ['Look'] },
  'the word given to another agent': { '[role=log]': ['My invoice', 'Billing here.'] },
  'an import': { '[role=log]': ['A room in Lisbon', 'I will look.'], '.strip': ['Look'] },
}

afterEach(() => document.body.replaceChildren())

test.each(kept)('[G13] %s is drawn as it was left, and to its end', async (_file, history) => {
  const { agent, rest, answer, ends } = stories[history.story]!
  let goOn = () => {}
  const held = new Promise<void>((resolve) => (goOn = resolve))
  const store = openMemoryStore()
  await writeRecords(store, history)
  const session = await device(store, { name: 'later' })
    .tab(agent(heldBack(rest, held)))
    .open(history.session.id)
  const { element } = mount(document.body.appendChild(document.createElement('div')), { session })
  for (const [place, words] of Object.entries(shown[history.story]!)) {
    for (const each of words) await vi.waitFor(() => expect(textIn(element, place)).toContain(each), patience)
  }
  goOn()
  await answer?.(session)
  await vi.waitFor(() => expect(textIn(element, 'article:last-of-type')).toContain(ends), patience)
  expect(element.shadowRoot!.querySelector('.request')).toBeNull()
})

const patience = { timeout: 10_000 }

/** What the model has still to say, not before the session was looked at. */
function heldBack(rest: Script, held: Promise<void>): Script {
  return (rest as readonly Answer[]).map((answer) => [pause(held), answer].flat() as Answer)
}

function textIn(element: Element, place: string): string {
  return [...element.shadowRoot!.querySelectorAll(place)].map(({ textContent }) => textContent).join(' ')
}
