/** What a person decides, in the engines that are not Chromium: changed, refused, together, for always, later. */
import { call, say } from '@dogear/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pageWith, startScriptedSite } from '../journeys/support/scripted-site.ts'
import type { Script } from '../journeys/support/scripted-provider.ts'
import { journalChange } from '../journeys/support/stored-rows.ts'
import { until } from '../journeys/support/until.ts'
import { chatOf } from './chat.ts'
import { type Engine, type EngineName, openEngine } from './engine.ts'

const page = pageWith(`
  const pay = {
    name: 'pay',
    label: 'Pay an invoice',
    needsApproval: true,
    alwaysBy: ['to'],
    parameters: {
      type: 'object',
      properties: { to: { type: 'string' }, amount: { type: 'integer' } },
      required: ['to', 'amount'],
    },
    func: ({ to, amount }) => fetch('/ledger', { method: 'POST', body: to + ' ' + amount }).then(() => 'Paid.'),
  }
  Dogear.mount('#agent', { agent: Dogear.createAgent({ endpoint: '/api/agent', tools: [pay] }) })
`)
const pages = { '/': page, '/nothing': '<!doctype html><link rel="icon" href="data:,"><title>Nothing</title>' }

const ann = (amount: number) => call('pay', { to: 'ann', amount })
const all = [ann(1), call('pay', { to: 'bob', amount: 2 }), call('pay', { to: 'carl', amount: 3 })]

describe.each<EngineName>(['firefox', 'webkit'])('%s', (name) => {
  let engine: Engine
  beforeAll(async () => {
    engine = await openEngine(name)
  })
  afterAll(() => engine?.close())

  async function visit(script: Script) {
    const site = await startScriptedSite({ pages, script })
    const tab = await engine.open(site.url)
    const chat = chatOf(tab)
    await chat.send('Pay')
    await chat.shows('Pay an invoice?')
    return { site, tab, chat }
  }

  test('[C49] [G5] what was changed is what runs', async () => {
    const { site, chat } = await visit([ann(1), say('All set.')])
    await chat.press('Edit')
    await chat.write('To', 'a')
    await chat.write('Amount', '0')
    await chat.shows('Was 1')
    await chat.lookThrough()
    await chat.press('Pay')
    await chat.shows('All set.')
    expect(site.ledger).toEqual(['anna 10'])
  })

  test('[C48] a no runs nothing, and the model reads why', async () => {
    const { site, chat } = await visit([ann(1), say('Then not.')])
    await chat.press('Don’t')
    await chat.write('What should it do instead?', 'too much')
    await chat.press('Don’t do it')
    await chat.shows('Then not.')
    expect(site.asked[1]?.messages.at(-1)).toMatchObject({ content: 'Tool call rejected: too much' })
    expect(site.ledger).toEqual([])
  })

  test('[C49] [T5] several of one kind are approved together, but for the one that is left out', async () => {
    const { site, chat } = await visit([all, say('All set.')])
    await chat.press('All 3 together')
    await chat.press('2 of 3')
    await chat.lookThrough()
    await chat.press('Pay 2')
    await until(() => site.ledger.length === 2, 'both are paid')
    expect([...site.ledger].sort()).toEqual(['ann 1', 'carl 3'])
    await chat.shows('bob')
    await chat.press('Don’t')
    await chat.press('Don’t do it')
    await chat.shows('All set.')
    expect(site.ledger).toHaveLength(2)
  })

  test('[K35] [T6] "always" runs what its rule fits unasked, and asks for the rest', async () => {
    const { site, chat } = await visit([
      ann(1),
      say('One.'),
      [ann(9), call('pay', { to: 'bob', amount: 2 })],
      say('Two.'),
    ])
    await chat.press('Ask me each time')
    await chat.press('Don’t ask again in this conversation')
    await chat.press('Pay')
    await chat.shows('One.')
    await chat.send('Pay both')
    await chat.shows('Pay an invoice?')
    await until(() => site.ledger.length === 2, 'the payment to Ann runs unasked')
    expect(site.ledger).toEqual(['ann 1', 'ann 9'])
    await chat.press('Pay')
    await chat.shows('Two.')
  })

  test('[C47] [G1] [G3] of three that wait over a reload two are answered, and the third later', async () => {
    const { site, tab, chat } = await visit([all, say('All set.')])
    await chat.shows('1 of 3')
    await tab.reload()
    await chat.shows('1 of 3')
    await chat.press('Pay')
    await chat.shows('1 of 2')
    await chat.press('Pay')
    await until(() => site.ledger.length === 2, 'two are paid')
    await tab.reload()
    await chat.shows('carl')
    expect(site.ledger).toEqual(['ann 1', 'bob 2'])
    expect(site.asked).toHaveLength(1)
    await chat.press('Pay')
    await chat.shows('All set.')
    expect(site.ledger).toEqual(['ann 1', 'bob 2', 'carl 3'])
    expect(site.asked).toHaveLength(2)
  })

  test('[C47] [G5] a request of nine days ago is answered as if it were new', async () => {
    const { site, tab } = await visit([ann(1), say('All set.')])
    const elsewhere = await engine.open(`${site.url}/nothing`)
    await tab.close()
    expect(await elsewhere.evaluate(`return ${journalChange({ daysOlder: 9 })}`)).toBeGreaterThan(3)
    const later = chatOf(await engine.open(site.url))
    await later.shows('Pay an invoice?')
    await later.press('Pay')
    await later.shows('All set.')
    expect(site.ledger).toEqual(['ann 1'])
  })
})
