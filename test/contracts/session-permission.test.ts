/** Rules, modes and "always", through real sessions: what runs, what asks, what is denied. */
import { asTool, defineAgent, textOf } from '@dogear/core'
import { call, say, scriptedModel } from '@dogear/testing'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { device, until } from './device.ts'
import { functional, hello } from './functional.ts'
import { ran, sessionOf, tool } from './noting-tools.ts'

test('[K7] a bare disallowed name takes the tool out of sight, a scoped one denies in every mode, and the result says so', async () => {
  const model = scriptedModel([[call('gone'), call('pay', { amount: 500 }), call('pay', { amount: 5 })], say('Done.')])
  ran.length = 0
  const session = await device()
    .tab({
      model,
      tools: [tool('gone'), tool('pay')],
      disallowedTools: ['gone', 'pay(amount = 100..)'],
      permissionMode: 'bypassPermissions',
      allowDangerouslySkipPermissions: true,
    })
    .open()
  const result = await session.send('go')
  expect(model.requests[0]!.tools?.map(({ name }) => name)).toEqual(['pay'])
  expect(ran).toEqual(['pay {"amount":5}'])
  expect(result.permissionDenials).toMatchObject([{ tool: 'pay', args: { amount: 500 } }])
  expect(textOf(session.messages.value[2]!)).toContain('Tool not found: gone')
})

test('[K7] [K34] an unlisted tool asks unless a rule allows it; allowedTools take nothing away', async () => {
  const options = { tools: [tool('mcp', { unlisted: true }), tool('plain')], allowedTools: ['mcp(to: a*)'] }
  const session = await sessionOf([[call('mcp', { to: 'ab' }), call('mcp', { to: 'b' }), call('plain')]], options)
  expect((await session.send('go')).requests).toMatchObject([{ tool: 'mcp', args: { to: 'b' } }])
  await until(() => ran.length === 2)
  expect(ran.sort()).toEqual(['mcp {"to":"ab"}', 'plain {}'])
})

test('[K7] a rule that cannot be read, an unknown mode and bypass without its flag are mistakes their developer reads', () => {
  const made = (options: object) => () => functional([], options)
  for (const wrong of [
    { allowedTools: ['pay('] },
    { permissionMode: 'auto' },
    { permissionMode: 'bypassPermissions' },
    { permissionPrompts: 'nobody' },
    { requestTimeout: 0 },
    { hooks: { BeforeTool: [] } },
  ]) {
    expect(made(wrong)).toThrow(expect.objectContaining({ code: 'agent-invalid' }))
  }
})

test('[K8] in plan mode only reads run; its exit asks the person, and their yes begins the work', async () => {
  const model = scriptedModel([
    [call('look'), call('write')],
    [call('exit_plan_mode', { plan: '1. write' })],
    [call('write')],
    say('Done.'),
  ])
  ran.length = 0
  const here = device()
  const options = { model, tools: [tool('look', { effect: 'read' }), tool('write')], permissionMode: 'plan' as const }
  const session = await here.tab(options).open()
  const { requests } = await session.send('go')
  expect(ran).toEqual(['look {}'])
  expect(textOf(model.requests[0]!.messages[0]!)).toContain('Plan mode is on')
  expect(requests).toMatchObject([{ tool: 'exit_plan_mode', args: { plan: '1. write' }, kind: 'approval' }])
  expect(requests[0]).not.toHaveProperty('always')
  const result = await session.approve(requests[0]!.id)
  expect(result.text).toBe('Done.')
  expect(ran).toEqual(['look {}', 'write {}'])
  expect(session.mode.value).toBe('default')
  expect(model.requests.at(-1)!.tools?.map(({ name }) => name)).not.toContain('exit_plan_mode')
  expect(JSON.stringify(model.requests.at(-1)!.messages[0])).not.toContain('Plan mode is on')
})

test('[K8] a plan that the person has changed is the one the model reads', async () => {
  const model = scriptedModel([[call('exit_plan_mode', { plan: '1. write' })], say('Done.')])
  const session = await device().tab({ model, permissionMode: 'plan' }).open()
  const [request] = (await session.send('go')).requests
  await session.approve(request!.id, { args: { plan: '1. only read' } })
  expect(textOf(model.requests[1]!.messages.at(-1)!)).toContain('1. only read')
})

test('[K8] in plan mode an approved helper works, and itself only reads', async () => {
  const helper = defineAgent({
    name: 'helper',
    model: scriptedModel([[call('look'), call('write')], say('Looked.')]),
    tools: [tool('look', { effect: 'read' }), tool('write')],
  })
  const model = scriptedModel([[call('helper', { input: 'look' })], say('Done.')])
  ran.length = 0
  const session = await device()
    .tab({ model, tools: [asTool(helper, { needsApproval: true })], permissionMode: 'plan' })
    .open()
  const [request] = (await session.send('go')).requests
  await session.approve(request!.id)
  expect(ran).toEqual(['look {}'])
  expect(textOf(model.requests[1]!.messages.at(-1)!)).toBe('Looked.')
})

test('[K8] a helper’s own mode holds where it is stricter, and planModeInstructions stand in the frame of plan mode', async () => {
  const model = scriptedModel(({ messages }) => {
    const isTried = messages.some(({ role }) => role === 'tool')
    if (textOf(messages[0]!).startsWith('Pay.')) return isTried ? say('Tried.') : call('pay')
    return isTried ? say('Done.') : call('delegate_to', { agent: 'clerk', task: 'pay' })
  })
  const session = await device()
    .tab({
      model,
      tools: [tool('pay', { unlisted: true })],
      permissionMode: 'acceptEdits',
      agents: { clerk: { description: 'pays', prompt: 'Pay.', permissionMode: 'dontAsk' } },
      planModeInstructions: 'Plan in rhymes.',
    })
    .open()
  ran.length = 0
  expect((await session.send('go')).requests).toEqual([])
  expect(ran).toEqual([])
  await session.setMode('plan')
  await session.send('plan')
  const system = textOf(model.requests.at(-1)!.messages[0]!)
  expect(system).toMatch(/^Plan mode is on[^]*\n\nPlan in rhymes\.\n\n[^]*exit_plan_mode/)
})

test('[K7] a helper is held by the rules of whoever it works for, and by rules of its own', async () => {
  const model = scriptedModel(({ messages, tools = [] }) => {
    if (!textOf(messages[0]!).startsWith('Pay.')) {
      return messages.some(({ role }) => role === 'tool')
        ? say('Done.')
        : call('delegate_to', { agent: 'clerk', task: 'pay' })
    }
    expect(tools.map(({ name }) => name)).not.toContain('get_secret')
    if (messages.some(({ role }) => role === 'tool')) return say('Tried.')
    return [5, 50, 500].map((amount) => call('pay', { amount }))
  })
  ran.length = 0
  const session = await device()
    .tab({
      model,
      tools: [tool('pay'), tool('get_secret')],
      disallowedTools: ['pay(amount = 100..)'],
      agents: { clerk: { description: 'pays', prompt: 'Pay.', disallowedTools: ['get_*', 'pay(amount = 10..)'] } },
    })
    .open()
  await session.send('go')
  expect(ran).toEqual(['pay {"amount":5}'])
  const wrong = { clerk: { description: 'pays', prompt: 'Pay.', disallowedTools: ['pay('] } }
  expect(() => functional([], { agents: wrong })).toThrow(expect.objectContaining({ code: 'agent-invalid' }))
})

test('[K8] setMode holds from the next call on, across a reload, and refuses what the agent does not allow', async () => {
  const here = device()
  const options = {
    tools: [tool('mcp', { unlisted: true })],
    model: scriptedModel(() => call('mcp')),
    limits: { maxSteps: 1 },
  }
  ran.length = 0
  const session = await here.tab(options).open()
  await session.setMode('acceptEdits')
  await session.send('one')
  expect(ran).toHaveLength(1)
  const again = await here.tab(options).open()
  expect(again.mode.value).toBe('acceptEdits')
  await again.setMode('dontAsk')
  expect((await again.send('two')).permissionDenials).toMatchObject([{ tool: 'mcp' }])
  await expect(again.setMode('bypassPermissions')).rejects.toThrow('allowDangerouslySkipPermissions')
  await expect(again.setMode('auto' as never)).rejects.toThrow('one of')
  expect(ran).toHaveLength(1)
})

test('[K34] bypass in the journal of a session means nothing to a page that has not allowed it', async () => {
  const here = device()
  const script = () => call('mcp')
  const options = { tools: [tool('mcp', { unlisted: true })], limits: { maxSteps: 1 } }
  const bold = await here
    .tab({ ...options, model: scriptedModel(script), allowDangerouslySkipPermissions: true })
    .open()
  ran.length = 0
  await bold.setMode('bypassPermissions')
  await bold.send('go')
  expect(ran).toHaveLength(1)
  bold.close()
  const careful = await here.tab({ ...options, model: scriptedModel(script) }).open()
  expect((await careful.send('go')).requests).toMatchObject([{ tool: 'mcp' }])
})

test('[K8] with permissionPrompts none nobody is asked, and the model reads why', async () => {
  const { agent, model } = functional([call('pay'), say('Well.')], {
    tools: [tool('pay', { needsApproval: true })],
    permissionPrompts: 'none',
  })
  const { metadata } = await agent.invoke(hello)
  expect(metadata.permissionDenials).toMatchObject([{ tool: 'pay' }])
  expect(textOf(model.requests[1]!.messages.at(-1)!)).toContain('Nobody can be asked')
})

test('[K35] [T6] "always" for the session: the shown rule, no wider, kept across a reload, listed and taken back', async () => {
  const here = device()
  const script = [
    [call('pay', { to: 'ann', amount: 1 })],
    say('one'),
    [call('pay', { to: 'ann', amount: 9 }), call('pay', { to: 'bob', amount: 1 })],
    say('two'),
    [call('pay', { to: 'ann', amount: 2 })],
    say('three'),
  ]
  const model = scriptedModel(script)
  const options = { model, tools: [tool('pay', { needsApproval: true, alwaysBy: ['to'] })] }
  ran.length = 0
  const tab = here.tab(options)
  const session = await tab.open()
  const [first] = (await session.send('go')).requests
  expect(first!.always).toEqual({ rule: 'pay(to = "ann")' })
  await session.approve(first!.id, { always: 'session' })
  expect(session.rules.value).toEqual([{ rule: 'pay(to = "ann")', decision: 'allow', agent: 'tester' }])
  tab.kill()
  const again = await here.tab(options).open()
  const second = await again.send('more')
  expect(second.requests).toMatchObject([{ args: { to: 'bob' } }])
  expect(ran).toEqual(['pay {"to":"ann","amount":1}', 'pay {"to":"ann","amount":9}'])
  await again.reject(second.requests[0]!.id)
  await again.revokeRule('pay(to = "ann")')
  await until(() => again.rules.value.length === 0)
  expect((await again.send('again')).requests).toMatchObject([{ args: { to: 'ann' } }])
})

test('[K35] "always" for the user holds in other sessions of the agent, and for no other agent', async () => {
  const here = device()
  const of = (name: string) => ({
    name,
    model: scriptedModel(() => call('pay', { to: 'ann' })),
    limits: { maxSteps: 1 },
    tools: [tool('pay', { needsApproval: true })],
  })
  ran.length = 0
  const one = await here.tab(of('tester')).open('one')
  const [request] = (await one.send('go')).requests
  await one.approve(request!.id, { always: 'user' })
  const two = await here.tab(of('tester')).open('two')
  expect((await two.send('go')).requests).toEqual([])
  expect(ran).toHaveLength(2)
  const stranger = await here.tab(of('other')).open('three')
  expect((await stranger.send('go')).requests).toHaveLength(1)
  const rules = await here.store.rules('tester')
  expect(rules).toMatchObject([{ rule: 'pay(= {"to":"ann"})', agent: 'tester', decision: 'allow' }])
  await here.store.deleteRule(rules[0]!.id)
  expect((await two.send('go')).requests).toHaveLength(1)
})

test('[K35] [T5] no "always" for what is destructive, asked for by rule, or needs a click; insisting is refused', async () => {
  const tools = [
    tool('wipe', { needsApproval: true, destructive: true }),
    tool('pay'),
    tool('copy', { gesture: true }),
    tool('plain', { needsApproval: true }),
  ]
  const session = await sessionOf([[call('wipe'), call('pay'), call('copy'), call('plain')]], {
    tools,
    askTools: ['pay'],
  })
  const { requests } = await session.send('go')
  expect(requests.map(({ tool: name, always }) => [name, always !== undefined])).toEqual([
    ['wipe', false],
    ['pay', false],
    ['copy', false],
    ['plain', true],
  ])
  const { refused } = await session.approve(requests[0]!.id, { always: 'session' })
  expect(refused).toContain('No rule may be made')
  expect(ran).toEqual([])
})

test('[K35] [T6] no "always" where its rule could not be read by a person, or would not be what was approved', async () => {
  const at = {
    '~standard': {
      version: 1,
      vendor: 'tests',
      validate: (value: unknown) => ({ value: { at: new Date((value as { at: string }).at) } }),
    },
  } as const
  const parameters = { type: 'object', properties: { at: { type: 'string' } } }
  const tools = [
    tool('pay', { needsApproval: true }),
    tool('book', { needsApproval: true, schema: at, parameters }),
    tool('unsure', { needsApproval: () => Promise.reject(new Error('no idea')) }),
  ]
  const calls = [call('pay', { note: 'x'.repeat(600) }), call('book', { at: '2030-01-02' }), call('unsure')]
  const session = await sessionOf([calls], { tools })
  const { requests } = await session.send('go')
  expect(requests.map(({ tool: name, always }) => [name, always !== undefined])).toEqual([
    ['pay', false],
    ['book', false],
    ['unsure', true],
  ])
  const forGood = { always: 'for good' as never }
  expect((await session.approve(requests[2]!.id, forGood)).refused).toContain('No rule may be made')
  expect(ran).toEqual([])
})

test('[K35] [C49] a call whose schema gives a big number asks without "always", and runs with it', async () => {
  const cents: bigint[] = []
  const pay = {
    name: 'pay',
    needsApproval: true,
    schema: z.object({ cents: z.coerce.bigint() }),
    parameters: { type: 'object', properties: { cents: { type: 'string' } } },
    func: (args: { cents: bigint }) => void cents.push(args.cents),
  }
  const session = await sessionOf([[call('pay', { cents: '5' })], say('ok')], { tools: [pay] })
  const [request] = (await session.send('go')).requests
  expect(request!.always).toBeUndefined()
  expect(await session.approve(request!.id)).toMatchObject({ text: 'ok' })
  expect(cents).toEqual([5n])
})

test('[K35] [T5] of edited arguments no rule is made: it is not the one that was shown', async () => {
  const script = [[call('pay', { to: 'ann', amount: 100 })], say('ok')]
  const session = await sessionOf(script, { tools: [tool('pay', { needsApproval: true })] })
  const [request] = (await session.send('go')).requests
  const args = { to: 'ann', amount: 1 }
  expect((await session.approve(request!.id, { args, always: 'session' })).refused).toContain('No rule may be made')
  expect(ran).toEqual([])
  await session.approve(request!.id, { args })
  expect(session.rules.value).toEqual([])
  expect(ran).toEqual(['pay {"to":"ann","amount":1}'])
})

test('[C49] [K7] edited arguments are decided about again: what a rule denies does not run, whoever wrote it', async () => {
  const script = [[call('pay', { amount: 5 })], say('ok')]
  const options = { tools: [tool('pay', { needsApproval: true })], disallowedTools: ['pay(amount = 100..)'] }
  const session = await sessionOf(script, options)
  const [request] = (await session.send('go')).requests
  const result = await session.approve(request!.id, { args: { amount: 500 } })
  expect(ran).toEqual([])
  expect(result.permissionDenials).toMatchObject([{ tool: 'pay', args: { amount: 500 } }])
})

test('[K35] [T6] "always" is the word of one agent’s tool: a helper’s call of the same name asks for itself', async () => {
  ran.length = 0
  const session = await device()
    .tab({
      tools: [tool('pay', { needsApproval: true })],
      agents: { clerk: { description: 'pays', prompt: 'Pay.' } },
      model: scriptedModel(({ messages }) => {
        const isPaid = messages.at(-1)!.role === 'tool'
        if (textOf(messages[0]!).startsWith('Pay.')) return call('pay', { to: 'ann' })
        return isPaid ? call('delegate_to', { agent: 'clerk', task: 'pay' }) : call('pay', { to: 'ann' })
      }),
    })
    .open()
  const [request] = (await session.send('go')).requests
  const { requests } = await session.approve(request!.id, { always: 'session' })
  expect(ran).toHaveLength(1)
  expect(requests).toMatchObject([{ tool: 'pay', args: { to: 'ann' } }])
  expect(requests[0]!.path).toHaveLength(1)
})

test('[T5] a state from elsewhere cannot say which rule "always" would make', async () => {
  const { agent } = functional([call('pay')], { tools: [tool('pay', { needsApproval: true })] })
  const { state, metadata } = await agent.invoke(hello)
  expect(metadata.requests[0]!.always).toBeDefined()
  const [pending] = state.pendingApprovals!
  const forged = { ...pending!, metadata: { ...pending!.metadata, always: { rule: '*' } } }
  const again = await agent.invoke({ ...state, pendingApprovals: [forged] })
  expect(again.metadata.requests).toHaveLength(1)
  expect(again.metadata.requests[0]!.always).toBeUndefined()
})
