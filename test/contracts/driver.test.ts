/** What the driver promises about commands, however they fall together with the end of a turn. */
import { createDriver, defineAgent, emptyHead, foldOf, openJournal, runAgentOf } from '@dogear/core'
import { openMemoryStore } from '@dogear/store'
import { fakeClock, say, scriptedModel } from '@dogear/testing'
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

/** A session on a memory store whose turns are awaited up to the commit of their end, and no longer. */
async function driven() {
  const clock = fakeClock()
  const store = openMemoryStore()
  const model = scriptedModel(() => say('Yes.'))
  const agent = runAgentOf(defineAgent({ name: 'tester' }), model)
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
    isRunning: () => false,
    warn: () => {},
    failed: (error) => {
      throw error
    },
  })
  return {
    answers: () => model.requests.length,
    async turn(content: string) {
      const end = new Promise<void>((resolve) => (ended = resolve))
      await store.send({ type: 'send', sessionId: 's1', commandId: content, at: 0, content, when: 'later' })
      driver.wake()
      await end
    },
  }
}
