/** The core journeys in the engines that are not Chromium, on the packed files. */
import type { ServerResponse } from 'node:http'
import { call, pause, say } from '@dogear/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createGate } from '../journeys/support/gate.ts'
import { pageWith, startScriptedSite, type ScriptedSiteOptions } from '../journeys/support/scripted-site.ts'
import { until } from '../journeys/support/until.ts'
import { chatOf } from './chat.ts'
import { type Engine, type EngineName, openEngine, type Tab } from './engine.ts'

const page = pageWith(`
  const book = {
    name: 'book_hotel',
    label: 'Book a room',
    needsApproval: true,
    func: () => fetch('/ledger', { method: 'POST', body: 'booked' }).then(() => 'Booked.'),
  }
  const agent = Dogear.createSmartAgent({ endpoint: '/api/agent', tools: [book], humanInTheLoop: { askUser: true } })
  Dogear.mount('#agent', { agent })
`)

describe.each<EngineName>(['firefox', 'webkit'])('%s', (name) => {
  let engine: Engine
  beforeAll(async () => {
    engine = await openEngine(name)
  })
  afterAll(() => engine?.close())

  async function visit(options: Omit<ScriptedSiteOptions, 'pages'>) {
    const site = await startScriptedSite({ pages: { '/': page }, ...options })
    const open = async () => {
      const tab: Tab = await engine.open(site.url)
      return { tab, chat: chatOf(tab) }
    }
    return { site, open, ...(await open()) }
  }

  test('the agent answers', async () => {
    const { chat } = await visit({ script: [say('Hello ', 'to you.')] })
    await chat.send('Hello')
    await chat.shows('Hello to you.')
    expect(await chat.read()).toEqual(['Hello', 'Hello to you.'])
  })

  test('[G7] a reload mid-answer goes on, and asks the model once', async () => {
    const gate = createGate()
    const { site, tab, chat } = await visit({ script: [[say('One, '), pause(gate.passed), say('two.')]] })
    await chat.send('Count')
    await chat.shows('One,')
    await tab.reload()
    await chat.shows('Count')
    gate.open()
    await chat.shows('two.')
    expect(await chat.read()).toEqual(['Count', 'One, two.'])
    expect(site.asked).toHaveLength(1)
  })

  test('[C47] [G5] an approval survives a reload, and what it allows happens once', async () => {
    const { site, tab, chat } = await visit({ script: [call('book_hotel'), say('All set.')] })
    await chat.send('Book it')
    await chat.shows('Book a room?')
    await tab.reload()
    await chat.shows('Book a room?')
    expect(site.ledger).toEqual([])
    await chat.press('Book')
    await chat.shows('All set.')
    expect(site.ledger).toEqual(['booked'])
  })

  test('[C52] a question is answered', async () => {
    const questions = [{ question: 'Which area?', header: 'Area', options: [{ label: 'River' }, { label: 'Hills' }] }]
    const { site, chat } = await visit({ script: [call('ask_user_question', { questions }), say('Thank you.')] })
    await chat.send('Find a room')
    await chat.shows('Which area?')
    await chat.press('Hills')
    await chat.press('Answer')
    await chat.shows('Thank you.')
    expect(site.asked[1]?.messages.at(-1)?.content).toContain('Hills')
  })

  test('[G9] words sent while the server is down are sent once when it is up', async () => {
    let isDown = true
    const { site, tab, chat } = await visit({
      script: [say('There you are.')],
      api: (_request, response) => isDown && response.destroy() !== undefined,
    })
    await chat.send('Hello?')
    await chat.shows('Connection lost.')
    await tab.reload()
    await chat.shows('Hello?')
    isDown = false
    await chat.shows('There you are.')
    expect(await chat.read()).toEqual(['Hello?', 'There you are.'])
    expect(site.asked).toHaveLength(1)
  })

  test('[G8] an answer whose connection breaks goes on where it was, and asks the model once', async () => {
    const gate = createGate()
    const connections: ServerResponse[] = []
    const { site, chat } = await visit({
      script: [[say('One, '), pause(gate.passed), say('two.')]],
      api: (_request, response) => connections.push(response) === 0,
    })
    await chat.send('Count')
    await chat.shows('One,')
    connections.at(-1)?.destroy()
    await until(() => connections.length > 1, 'it is asked for again')
    gate.open()
    await chat.shows('two.')
    expect(await chat.read()).toEqual(['Count', 'One, two.'])
    expect(site.asked).toHaveLength(1)
  })

  test('[G9] an approval given and words queued while the server is down: each takes effect once, in order', async () => {
    let isDown = false
    const { site, tab, chat } = await visit({
      script: [call('book_hotel'), say('All set.'), say('At noon.')],
      api: (_request, response) => isDown && response.destroy() !== undefined,
    })
    await chat.send('Book it')
    await chat.shows('Book a room?')
    isDown = true
    await tab.reload()
    await chat.shows('Book a room?')
    await chat.press('Book')
    await chat.shows('Connection lost.')
    await chat.send('When is the train?')
    await chat.shows('When is the train?')
    await tab.reload()
    await chat.shows('When is the train?')
    expect(site.ledger).toEqual(['booked'])
    isDown = false
    await chat.shows('At noon.')
    expect(await chat.read()).toEqual(['Book it', 'All set.', 'When is the train?', 'At noon.'])
    expect(site.asked).toHaveLength(3)
    expect(site.ledger).toEqual(['booked'])
  })

  test('[G6] [C47] a second tab approves what the first asked, and it happens once', async () => {
    const { site, open, chat } = await visit({ script: [call('book_hotel'), say('All set.')] })
    await chat.send('Book it')
    await chat.shows('Book a room?')
    const second = await open()
    await second.chat.shows('Book a room?')
    await second.chat.press('Book')
    await second.chat.shows('All set.')
    await chat.shows('All set.')
    expect(site.ledger).toEqual(['booked'])
    expect(site.asked).toHaveLength(2)
  })

  test('[G6] a second tab follows live, and finishes the answer when the first is closed', async () => {
    const gate = createGate()
    const { site, open, tab, chat } = await visit({ script: [[say('One, '), pause(gate.passed), say('two.')]] })
    await chat.send('Count')
    await chat.shows('One,')
    const second = await open()
    await second.chat.shows('One,')
    await tab.close()
    gate.open()
    await second.chat.shows('two.')
    expect(await second.chat.read()).toEqual(['Count', 'One, two.'])
    await until(() => site.asked.length === 1, 'the model is asked once')
  })
})
