/** The chat's inbox over real sessions: a worker, IndexedDB, and an agent that asks in a session nobody shows. */
import { call, scriptedModel } from '@dogear/testing'
import { createAgent, mount, type ChatHandle } from 'dogear'
import { afterEach, expect, test, vi } from 'vitest'

let chat: ChatHandle | undefined
afterEach(() => chat?.destroy())

test('what another session asks while this one is shown is told in the header and counted in the title', async () => {
  document.title = 'Trips'
  const agent = createAgent({
    name: `concierge-${Date.now()}`,
    model: scriptedModel(() => call('book')),
    tools: [{ name: 'book', label: 'Book a room', needsApproval: true, func: () => 'booked' }],
  })
  chat = mount('body', { agent, session: 'shown' })
  await chat.session
  const other = await agent.open('other')
  const { requests } = await other.send('A room in Porto')
  const root = chat.element.shadowRoot!
  const told = () => root.querySelector('header .quiet')?.getAttribute('aria-label')
  await vi.waitFor(() => expect(told()).toBe('Another conversation waits for you'), patience)
  expect(document.title).toBe('(1) Trips')
  root.querySelector<HTMLElement>('header .quiet')!.click()
  await vi.waitFor(() => expect(root.querySelector('.inbox')!.textContent).toContain('1 waitingBook a room'))
  void other.reject(requests[0]!.id)
  await other.stop()
  await vi.waitFor(() => expect(told()).toBe(undefined), patience)
  expect(document.title).toBe('Trips')
})

const patience = { timeout: 15_000, interval: 50 }
