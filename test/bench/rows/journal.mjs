/** Dogear with its journal in a store: a session, driven from its inbox and cached at each turn's end, as a worker's host does. */

import { createDriver, emptyHead, foldOf, openJournal } from '@dogear/core'
import { openMemoryStore } from '@dogear/store'
import { browserClock as clock, sha256 as hash } from '@dogear/worker/host'
import { ids, sessionAgent, textListener } from './dogear.mjs'

export function createRow({ endpoint, runTool, onText }) {
  const agent = sessionAgent(endpoint, runTool)
  return () => conversation(agent, onText)
}

async function conversation(agent, onText) {
  const sessionId = ids.id()
  const store = openMemoryStore()
  const fold = foldOf(emptyHead(sessionId, agent.name))
  const { epoch } = await store.acquire(sessionId, { agent: agent.name, at: clock.now() })
  const journal = openJournal({ fold, clock, store, epoch, published })
  await journal.append([{ type: 'session-start', agent: agent.name, sessionId }])
  let ended = () => {}
  let failed = () => {}
  const tell = textListener(onText)
  const driver = createDriver({
    journal,
    store,
    agent,
    clock,
    hash,
    emit: (partial) => partial && tell(partial),
    waits: () => {},
    warn: console.error,
    failed: (error) => failed(error),
  })

  return {
    async say(content) {
      const rest = new Promise((resolve, reject) => ([ended, failed] = [resolve, reject]))
      await store.send({ commandId: ids.id(), sessionId, at: clock.now(), type: 'send', content, when: 'next' })
      driver.wake()
      await rest
      return fold.bodies.get(fold.head.leaf).content
    },
  }

  function published(entries) {
    if (!entries.some((entry) => entry.type === 'turn-end')) return
    void store.saveHead(fold.head)
    ended()
  }
}
