/** Sessions that wait at a checkpoint their agent declares, until somebody lets them go on. */
import { defineAgent, textOf, type Checkpoint, type SmartAgentOptions } from '@dogear/core'
import { openMemoryStore } from '@dogear/store'
import { call, say, scriptedModel } from '@dogear/testing'
import { expect, test } from 'vitest'
import { device, until } from './device.ts'
import { functional, hello } from './functional.ts'

function booking(checkpoint: Checkpoint, more: Partial<SmartAgentOptions> = {}) {
  const ran: string[] = []
  const book = {
    name: 'book',
    label: { ask: 'Book a room', doing: 'Booking', done: 'Booked' },
    func: ({ hotel }: { hotel: string }) => (ran.push(hotel), 'booked'),
  }
  const model = scriptedModel([
    [call('book', { hotel: 'Sol' }), call('book', { hotel: 'Mar' })],
    [call('book', { hotel: 'Rio' })],
    say('Done.'),
  ])
  return { ran, model, options: { model, tools: [book], checkpoint, ...more } }
}

test('[C41] before_tools: nothing of a step runs before a person lets it, and they see what would', async () => {
  const { ran, options } = booking('before_tools')
  const session = await device().tab(options).open()
  const first = await session.send('go')
  expect(first).toMatchObject({ terminalReason: 'paused', requests: [{ kind: 'checkpoint' }] })
  expect(first.requests[0]!.args).toEqual([{ 'Book a room': { hotel: 'Sol' } }, { 'Book a room': { hotel: 'Mar' } }])
  expect(ran).toEqual([])
  const second = await session.approve(first.requests[0]!.id)
  expect(second).toMatchObject({
    terminalReason: 'paused',
    requests: [{ args: [{ 'Book a room': { hotel: 'Rio' } }] }],
  })
  expect(ran).toEqual(['Sol', 'Mar'])
  expect(await session.approve(second.requests[0]!.id)).toMatchObject({ terminalReason: 'completed', text: 'Done.' })
  expect(ran).toEqual(['Sol', 'Mar', 'Rio'])
})

test('[C41] after_step: a step’s results are there, and the model is not asked before a person says so', async () => {
  const { ran, model, options } = booking('after_step')
  const session = await device().tab(options).open()
  const first = await session.send('go')
  expect(first).toMatchObject({ terminalReason: 'paused', requests: [{ kind: 'checkpoint' }] })
  expect(ran).toEqual(['Sol', 'Mar'])
  expect(model.requests).toHaveLength(1)
  const second = await session.approve(first.requests[0]!.id)
  expect(model.requests).toHaveLength(2)
  expect(await session.approve(second.requests[0]!.id)).toMatchObject({ terminalReason: 'completed', text: 'Done.' })
})

test.each(['before_tools', 'after_step'] as const)(
  '[C41] a checkpoint %s waits through a crash, and any tab answers it, once',
  async (checkpoint) => {
    const { ran, model, options } = booking(checkpoint)
    const here = device()
    const tab = here.tab(options)
    await (await tab.open()).send('go')
    tab.kill()
    const again = await here.tab(options).open()
    const other = await here.tab(options).open()
    expect(again.status.value).toBe('paused')
    const [request] = again.requests.value
    expect(request).toMatchObject({ kind: 'checkpoint' })
    expect(model.requests).toHaveLength(1)
    expect(ran).toHaveLength(checkpoint === 'before_tools' ? 0 : 2)
    await other.approve(request!.id)
    expect(ran.slice(0, 2)).toEqual(['Sol', 'Mar'])
    expect(await again.approve(request!.id)).toMatchObject({ refused: 'This was answered already.' })
    expect(again.answeredElsewhere.value).toMatchObject({ requestId: request!.id })
  },
)

test('[C41] a host that dies between an answer and its checkpoint leaves nothing that runs unasked', async () => {
  const { ran, options } = booking('before_tools')
  const store = openMemoryStore()
  let isDead = false
  const dying: typeof store = {
    ...store,
    append(batch) {
      if (batch.entries.some(({ type }) => type === 'request-open')) isDead = true
      return isDead ? new Promise<never>(() => {}) : store.append(batch)
    },
  }
  const here = device(store)
  const tab = here.tab(options, dying)
  void (await tab.open()).send('go')
  await until(() => isDead)
  tab.kill()
  const session = await here.tab(options).open()
  await until(() => session.status.value === 'paused')
  expect(session.requests.value).toMatchObject([{ kind: 'checkpoint' }])
  expect(ran).toEqual([])
})

test('[C41] stop at a checkpoint ends the turn: no call runs, and each has its one result', async () => {
  const { ran, options } = booking('before_tools')
  const session = await device().tab(options).open()
  const { requests } = await session.send('go')
  const id = requests[0]!.id
  expect(await session.reject(id)).toMatchObject({ refused: expect.stringContaining('approve, stop') })
  expect(await session.resolve(id, { type: 'stop' })).toMatchObject({ terminalReason: 'aborted_tools' })
  expect(session.status.value).toBe('idle')
  expect(session.requests.value).toEqual([])
  const results = session.messages.value.filter(({ role }) => role === 'tool').map(textOf)
  expect(results).toEqual(Array(2).fill('The person stopped before this was run.'))
  expect(ran).toEqual([])
})

test('[C41] a call that waits for its own approval needs no checkpoint; beside others it has both', async () => {
  const { ran, options } = booking('before_tools')
  const pay = { name: 'pay', func: () => (ran.push('pay'), 'paid'), needsApproval: true }
  const model = scriptedModel([[call('pay')], [call('pay'), call('book', { hotel: 'Sol' })], say('Done.')])
  const session = await device()
    .tab({ ...options, model, tools: [...options.tools, pay] })
    .open()
  const first = await session.send('go')
  expect(first.requests.map(({ kind }) => kind)).toEqual(['approval'])
  const second = await session.approve(first.requests[0]!.id)
  expect(ran).toEqual(['pay'])
  expect(second.requests.map(({ kind }) => kind)).toEqual(['approval', 'checkpoint'])
  await session.approve(second.requests[0]!.id)
  expect(ran).toEqual(['pay'])
  expect(await session.approve(second.requests[1]!.id)).toMatchObject({ text: 'Done.' })
  expect(ran.slice(1).sort()).toEqual(['Sol', 'pay'])
})

test('[C41] invoke is left at the checkpoint its agent declares', async () => {
  const { ran, options } = booking('before_tools')
  const { agent } = functional([call('book', { hotel: 'Sol' }), say('Done.')], options)
  const { state, metadata } = await agent.invoke(hello)
  expect(state).toMatchObject({ status: 'paused', ctx: { __paused: { stage: 'after_agent' } } })
  expect(metadata.requests).toEqual([])
  expect(ran).toEqual([])
})

test('[C41] a checkpoint that does not exist is a mistake its developer reads', () => {
  const checkpoint = 'before_tool' as Checkpoint
  expect(() => defineAgent({ checkpoint })).toThrow(expect.objectContaining({ code: 'agent-invalid' }))
})
