/** What the driver promises about commands, however they fall together with the end of a turn. */
import {
  createDriver,
  defineAgent,
  emptyHead,
  foldOf,
  openJournal,
  runAgentOf,
  textOf,
  type ToolOptions,
  type When,
} from '@dogear/core'
import { openMemoryStore } from '@dogear/store'
import { call, fakeClock, say, scriptedModel } from '@dogear/testing'
import { sha256 as hash } from '@dogear/worker/host'
import { expect, test } from 'vitest'

test('a command that arrives while a turn ends starts the next one, at whichever moment it comes', async () => {
  for (let ticks = 0; ticks < 40; ticks += 1) {
    const session = await driven()
    await session.turn('first')
    for (let tick = 0; tick < ticks; tick += 1) await Promise.resolve()
    await session.turn('second')
    expect(session.answers(), `${ticks} ticks after the end`).toBe(2)
  }
})

test('[G1] words that join a turn while others begin to wait are all said once, at whichever moment they come', async () => {
  for (let ticks = 0; ticks < 120; ticks += 1) {
    let finish = () => {}
    const running = new Promise<void>((resolve) => (finish = resolve))
    const session = await driven({ name: 'look', effect: 'read', func: () => running })
    await session.send('look', 'later')
    await session.send('joins', 'next')
    finish()
    for (let tick = 0; tick < ticks; tick += 1) await Promise.resolve()
    await session.send('waits', 'later')
    await session.send('last', 'later')
    for (let looks = 0; looks < 100 && !session.asked().includes('last'); looks += 1) await new Promise(setImmediate)
    const words = session.asked().filter((each) => each === 'joins' || each === 'waits')
    expect(words, `${ticks} ticks after`).toEqual(['joins', 'waits'])
  }
})

/** A session on a memory store whose turns are awaited up to the commit of their end, and no longer. */
async function driven(tool?: ToolOptions) {
  const clock = fakeClock()
  const store = openMemoryStore()
  const model = scriptedModel((_request, n) => (tool && n === 0 ? call('look') : say('Yes.')))
  const agent = runAgentOf(defineAgent({ name: 'tester', tools: tool ? [tool] : [] }), model)
  const { epoch } = await store.acquire('s1', { agent: agent.name, at: 0 })
  let ended = () => {}
  const journal = openJournal({
    fold: foldOf(emptyHead('s1', agent.name)),
    clock,
    store,
    epoch,
    published: (entries) => entries.some((entry) => entry.type === 'turn-end') && ended(),
  })
  const driver = createDriver({
    journal,
    store,
    agent,
    clock,
    hash,
    emit: () => {},
    waits: () => {},
    proven() {},
    warn: () => {},
    failed: (error) => {
      throw error
    },
  })
  async function send(content: string, when: When): Promise<void> {
    await store.send({ type: 'send', sessionId: 's1', commandId: content, at: 0, content, when })
    driver.wake()
  }
  return {
    answers: () => model.requests.length,
    asked: () => model.requests.at(-1)?.messages.map(textOf) ?? [],
    send,
    async turn(content: string) {
      const end = new Promise<void>((resolve) => (ended = resolve))
      await send(content, 'later')
      await end
    },
  }
}
