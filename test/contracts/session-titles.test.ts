/** Titles that a model gives: each of the words of its own session, and asked for again when none came. */
import { textOf, type Message } from '@dogear/core'
import { createOpenAIModel } from '@dogear/models'
import { createProxy, type Provider } from '@dogear/proxy'
import { fail, forever, pause, say, scriptedModel } from '@dogear/testing'
import { browserClock } from '@dogear/worker/host'
import { expect, test } from 'vitest'
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

test('[O19] a title that did not come is asked for again after the next turns, three times in all', async () => {
  const model = scriptedModel(({ messages }) => (isAskedForTitle(messages) ? fail('model-failed') : say('Fine.')))
  const session = await device().tab({ model, title: 'model' }).open()
  for (const words of ['one', 'two', 'three', 'four', 'five']) {
    await session.send(words)
    await soon()
  }
  expect(model.requests.filter(({ messages }) => isAskedForTitle(messages))).toHaveLength(3)
  expect(session.title.value).toBe('one')
})

test('[O19] a tab that died while a title was thought of leaves it to the next turn', async () => {
  const here = device()
  const first = here.tab({ model: scriptedModel([say('Fine.'), forever]), title: 'model' })
  await (await first.open()).send('one')
  await soon()
  first.kill()
  const session = await here.tab({ model: scriptedModel([say('Yes.'), say('Two words')]), title: 'model' }).open()
  await session.send('two')
  await until(() => session.title.value === 'Two words')
})

test('[O19] while a title is thought of, no turn asks for another', async () => {
  let answer = () => {}
  const thought = new Promise<void>((resolve) => (answer = resolve))
  const model = scriptedModel(({ messages }) =>
    isAskedForTitle(messages) ? [pause(thought), say('A title')] : say('Fine.'),
  )
  const session = await device().tab({ model, title: 'model' }).open()
  for (const words of ['one', 'two']) await session.send(words)
  answer()
  await until(() => session.title.value === 'A title')
  expect(model.requests).toHaveLength(3)
})

function isAskedForTitle(messages: readonly Message[]): boolean {
  return textOf(messages.at(-1)!).startsWith('Give this conversation a title')
}

const soon = () => new Promise((resolve) => setTimeout(resolve, 50))

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
