/** Titles that a model gives: each of the words of its own session, and asked for again when none came. */
import { createOpenAIModel } from '@dogear/models'
import { createProxy, type Provider } from '@dogear/proxy'
import { browserClock } from '@dogear/worker/host'
import { test } from 'vitest'
import { device, until } from './device.ts'

test('[O19] visitors of one proxy who open the same id never see each other’s titles', async () => {
  const proxy = createProxy({ models: { default: { provider: titling, model: 'taped' } } })
  for (const name of ['ann', 'bob']) {
    const session = await device(undefined, { name })
      .tab({ model: modelOn(proxy), title: 'model' })
      .open('support')
    await session.send(`words of ${name}`)
    await until(() => session.title.value === `Title: words of ${name}`, `the title of ${name}`)
  }
})

test('[O19] a session that is deleted and begun anew under its id gets a title of its own', async () => {
  const proxy = createProxy({ models: { default: { provider: titling, model: 'taped' } } })
  const tab = device().tab({ model: modelOn(proxy), title: 'model' })
  const session = await tab.open('trip')
  for (const words of ['words of May', 'words of June']) {
    await session.send(words)
    await until(() => session.title.value === `Title: ${words}`, `the title of ${words}`)
    await tab.client.delete(session.agent, 'trip')
  }
})

function modelOn(proxy: ReturnType<typeof createProxy>) {
  const reach: typeof fetch = async (url, init) => proxy(new Request(url, init))
  return createOpenAIModel({ endpoint: 'http://localhost/api', clock: browserClock, fetch: reach })
}

/** Gives each conversation its first words as title. */
const titling: Provider = {
  async stream({ messages }) {
    const [, words] = /user: (words of \w+)/.exec(JSON.stringify(messages)) ?? []
    return answer(words ? `Title: ${words}` : 'Fine.')
  },
  complete: () => Promise.reject(new Error('These tests stream.')),
}

async function* answer(content: string): AsyncGenerator<object> {
  yield { choices: [{ index: 0, delta: { content }, finish_reason: null }] }
  yield { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }
}
