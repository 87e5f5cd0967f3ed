/** What a session promises when one agent gives the word to another. */
import { asHandoff, defineAgent, textOf, type SmartAgentOptions } from '@dogear/core'
import { call, say, scriptedModel } from '@dogear/testing'
import { expect, test } from 'vitest'
import { device, until } from './device.ts'

test('[C58] the next step is the other agent’s: its instructions, its tools, its model; and so is the next turn, after a reload', async () => {
  const here = device()
  const front = scriptedModel([call('handoff_to_billing', { reason: 'an invoice' })])
  const billing = scriptedModel([call('invoice'), say('Here it is.'), say('You are welcome.')])
  const options = frontDesk(front, billing)
  const tab = here.tab(options)
  const session = await tab.open()
  expect(await session.send('my invoice')).toMatchObject({ text: 'Here it is.' })
  const [first] = billing.requests
  expect(first!.messages.map(textOf)).toEqual(['You know every invoice.', 'my invoice', '', 'ok'])
  expect(first!.model).toBe('default')
  expect(first!.tools!.map(({ name }) => name)).toEqual(['invoice', 'handoff_to_tester'])
  expect(front.requests[0]!.tools![0]).toMatchObject({
    name: 'handoff_to_billing',
    parameters: { properties: { reason: { type: 'string' } } },
  })
  expect(session.messages.value.map(({ meta }) => meta.agent)).toEqual(
    expect.arrayContaining(['tester', 'billing', 'billing']),
  )
  const entries = await here.store.entries('s1', 0)
  expect(entries.find(({ type }) => type === 'agent-set')).toMatchObject({ agent: 'billing', path: [] })
  tab.kill()

  const again = await here.tab(options).open()
  expect(await again.send('thanks')).toMatchObject({ text: 'You are welcome.' })
  expect(front.requests).toHaveLength(1)
})

test('[C58] the word can be given back by name', async () => {
  const here = device()
  const front = scriptedModel([call('handoff_to_billing'), say('Welcome back.'), say('Still here.')])
  const billing = scriptedModel([call('handoff_to_tester')])
  const session = await here.tab(frontDesk(front, billing)).open()
  expect(await session.send('go')).toMatchObject({ text: 'Welcome back.' })
  expect(await session.send('and?')).toMatchObject({ text: 'Still here.' })
  expect(front.requests[1]!.messages[0]).toMatchObject({ role: 'system', content: 'You greet people.' })
})

test('[C58] a call beside a handoff is carried out by the agent that asked for it, also when a person decides first', async () => {
  const here = device()
  const ran: string[] = []
  const note = { name: 'note', needsApproval: true, func: () => void ran.push('note') }
  const front = scriptedModel([[call('note'), call('handoff_to_billing')]])
  const billing = scriptedModel([say('I am billing.')])
  const options = frontDesk(front, billing)
  const session = await here.tab({ ...options, tools: [...options.tools, note] }).open()
  const { requests } = await session.send('go')
  expect(requests).toMatchObject([{ tool: 'note' }])
  expect(await session.approve(requests[0]!.id)).toMatchObject({ text: 'I am billing.' })
  expect(ran).toEqual(['note'])
})

test('[C58] on a page without that agent the session’s own goes on, and one of its calls waits for its page', async () => {
  const here = device()
  let mayFinish = () => {}
  const front = scriptedModel([call('handoff_to_billing'), say('I am the front desk.')])
  const billing = scriptedModel([call('invoice'), say('Here it is.'), say('Billing again.')])
  const hang = new Promise<void>((resolve) => (mayFinish = resolve))
  const tab = here.tab(frontDesk(front, billing, () => hang))
  const session = await tab.open()
  void session.send('my invoice')
  await until(() => session.calls.value.some(({ tool, intent }) => tool === 'invoice' && intent))
  tab.kill()
  mayFinish()

  const other = here.tab({ name: 'tester', model: front, instructions: 'You greet people.' })
  const elsewhere = await other.open()
  await until(() => elsewhere.waiting.value === 'page')
  other.kill()
  const back = here.tab(frontDesk(front, billing))
  const again = await back.open()
  await until(() => again.status.value === 'idle')
  expect(again.messages.value.map(textOf).at(-1)).toBe('Here it is.')
  back.kill()

  const third = await here.tab({ name: 'tester', model: front, instructions: 'You greet people.' }).open()
  expect(await third.send('hello?')).toMatchObject({ text: 'I am the front desk.' })
})

test('[C58] an agent that calls a tool of the one before it is told that it has none, and waits for no page', async () => {
  const here = device()
  const billing = scriptedModel([call('greet'), say('Then without.')])
  const other = defineAgent({ name: 'billing', model: billing })
  const model = scriptedModel([call('handoff_to_billing')])
  const tools = [{ name: 'greet', func: () => 'hi' }, asHandoff(other)]
  const session = await here.tab({ model, tools }).open()
  expect(await session.send('go')).toMatchObject({ text: 'Then without.' })
  expect(textOf(billing.requests[1]!.messages.at(-1)!)).toContain('Tool not found: greet')
})

test('[C58] of two handoffs in one step the first counts, and the other says so', async () => {
  const here = device()
  const [one, two] = ['one', 'two'].map((name) => defineAgent({ name, model: scriptedModel([say(`I am ${name}.`)]) }))
  const model = scriptedModel([[call('handoff_to_one'), call('handoff_to_two')]])
  const session = await here.tab({ model, tools: [asHandoff(one!), asHandoff(two!)] }).open()
  expect(await session.send('go')).toMatchObject({ text: 'I am one.' })
  const results = session.messages.value.filter(({ role }) => role === 'tool')
  expect(results.map(({ meta }) => meta.status)).toEqual(['complete', 'skipped'])
  expect(results[1]!.meta.tool).not.toHaveProperty('handoff')
})

test('[C42] [C58] a copy made from a snapshot keeps who has the word, and the model that was set', async () => {
  const here = device()
  const billing = scriptedModel([say('Here it is.'), say('Billing again.'), say('Front.')])
  const tab = here.tab(frontDesk(scriptedModel([call('handoff_to_billing')]), billing))
  const session = await tab.open()
  await session.send('my invoice')
  await session.set({ model: 'large' })
  const copy = await tab.client.import(session.agent, await session.snapshot({ tag: 'now' }))
  expect(await copy.send('and?')).toMatchObject({ text: 'Billing again.' })
  const entries = await here.store.entries(copy.id, 0)
  expect(entries.find(({ type }) => type === 'meta-set')).toMatchObject({ model: 'large' })
})

test('[C31] [C58] the notes of an agent with the word are made by its own model, whatever is set for the session', async () => {
  const here = device()
  const billing = scriptedModel([say('They want an invoice.'), call('invoice'), say('It is number 7.'), say('Here.')])
  const other = defineAgent({
    name: 'billing',
    model: billing,
    tools: [{ name: 'invoice', func: () => 'No. 7' }],
    reasoning: { reflection: { cadence: 'after_tool', mode: 'separate' } },
  })
  const session = await here
    .tab({ model: scriptedModel([call('handoff_to_billing')]), tools: [asHandoff(other)] })
    .open()
  await session.set({ model: 'large' })
  expect(await session.send('my invoice')).toMatchObject({ text: 'Here.' })
  expect(billing.requests.map(({ model }) => model)).toEqual(['default', 'default', 'default', 'default'])
})

test('[C58] an agent without tools reads in words what others have called before it', async () => {
  const front = scriptedModel([call('handoff_to_poet', { reason: 'a poem' })])
  const model = scriptedModel([say('Roses are red.')])
  const poet = defineAgent({ name: 'poet', model })
  const session = await device()
    .tab({ model: front, tools: [asHandoff(poet)] })
    .open()
  expect(await session.send('a poem')).toMatchObject({ text: 'Roses are red.' })
  expect(model.requests[0]).not.toHaveProperty('tools')
  expect(model.requests[0]!.messages).toMatchObject([
    { role: 'user', content: 'a poem' },
    { role: 'user', content: '[System Notice] handoff_to_poet({"reason":"a poem"}) gave: ok' },
  ])
})

test('[C58] a handoff by a name nobody has is a result the model can mend', async () => {
  const here = device()
  const model = scriptedModel([call('handoff_to_nobody'), say('Then I do it myself.')])
  const session = await here.tab({ model, tools: [asHandoff('nobody')] }).open()
  expect(await session.send('go')).toMatchObject({ text: 'Then I do it myself.' })
  expect(model.requests[1]!.messages.at(-1)).toMatchObject({ meta: { status: 'error' } })
})

function frontDesk(
  front: SmartAgentOptions['model'],
  model: SmartAgentOptions['model'],
  func: () => unknown = () => 'No. 7',
) {
  const invoice = { name: 'invoice', effect: 'read' as const, func }
  const billing = defineAgent({
    name: 'billing',
    model,
    instructions: 'You know every invoice.',
    tools: [invoice, asHandoff('tester')],
  })
  return { model: front, instructions: 'You greet people.', tools: [asHandoff(billing)] }
}
