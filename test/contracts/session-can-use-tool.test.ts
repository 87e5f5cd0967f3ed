/** `canUseTool`: the page's own word on a call, through real sessions. */
import {
  textOf,
  type CanUseToolOptions,
  type HookInput,
  type PermissionResult,
  type PermissionUpdate,
  type ToolContext,
} from '@dogear/core'
import { openMemoryStore } from '@dogear/store'
import { call, say, scriptedModel } from '@dogear/testing'
import { expect, test } from 'vitest'
import { device, until } from './device.ts'
import { functional, hello } from './functional.ts'
import { before, pay, plain, ran } from './paying-tools.ts'

test('[K9] canUseTool is asked what would ask, in the tool’s own words, and its yes runs what it says', async () => {
  const seen: [string, unknown, CanUseToolOptions][] = []
  const canUseTool = (name: string, input: unknown, options: CanUseToolOptions) => {
    seen.push([name, input, options])
    return { behavior: 'allow', updatedInput: { amount: 1 } } as const
  }
  const model = scriptedModel([[call('plain'), call('pay', { amount: 9 })], say('Done.')])
  ran.length = 0
  const tools = [plain, { ...pay, label: 'Pay somebody' }]
  const session = await device().tab({ model, tools, canUseTool }).open()
  expect((await session.send('go')).text).toBe('Done.')
  expect(ran).toEqual([{}, { amount: 1 }])
  expect(seen).toHaveLength(1)
  expect(seen[0]).toMatchObject([
    'pay',
    { amount: 9 },
    {
      title: 'Pay somebody',
      defaultToNo: false,
      suppressAlwaysAllowRule: false,
      suggestions: [{ type: 'addRules', rules: [{ toolName: 'pay', ruleContent: '= {"amount":9}' }] }],
    },
  ])
  expect(seen[0]![2].signal).toBeInstanceOf(AbortSignal)
  expect(seen[0]![2].requestId).toBe(`${seen[0]![2].toolUseID}.approval`)
})

const when = {
  '~standard': {
    version: 1,
    vendor: 'tests',
    // What it makes of a text it would refuse: the arguments are checked once, or they change twice.
    validate: (value: unknown) => {
      const { at } = value as { at: unknown }
      return typeof at === 'string' ? { value: { at: new Date(at) } } : { issues: [{ message: 'at must be a text' }] }
    },
  },
} as const
const booking = {
  ...pay,
  schema: when,
  parameters: { type: 'object', properties: { at: { type: 'string' } } },
}

test('[K9] [K33] arguments given back as they were are not taken for edited', async () => {
  const at = '2030-01-02T00:00:00.000Z'
  for (const options of [
    { canUseTool: (_name: string, input: unknown) => ({ behavior: 'allow', updatedInput: input }) as const },
    {
      canUseTool: () => ({ behavior: 'allow' }) as const,
      hooks: {
        PreToolUse: [{ hooks: [({ tool_input }: HookInput<'PreToolUse'>) => before({ updatedInput: tool_input })] }],
      },
    },
  ]) {
    ran.length = 0
    const session = await device()
      .tab({ model: scriptedModel([call('pay', { at }), say('Done.')]), tools: [booking], ...options })
      .open()
    await session.send('go')
    expect(ran).toEqual([{ at: new Date(at) }])
  }
})

test('[K9] [G5] arguments that canUseTool changes in place are changed arguments: checked, decided about, written down', async () => {
  const typed = { ...pay, parameters: { type: 'object', properties: { amount: { type: 'number' } } } }
  for (const amount of [500, 'much', 2]) {
    const { agent } = functional([call('pay', { amount: 1 }), say('Done.')], {
      tools: [typed],
      disallowedTools: ['pay(amount = 100..)'],
      canUseTool: (_name, input) => {
        ;(input as { amount: unknown }).amount = amount
        return { behavior: 'allow', updatedInput: input }
      },
    })
    ran.length = 0
    await agent.invoke(hello)
    expect(ran).toEqual(amount === 2 ? [{ amount: 2 }] : [])
  }
})

test('[K9] canUseTool learns which rule asks, for whom, and what speaks against a yes', async () => {
  const seen: CanUseToolOptions[] = []
  const model = scriptedModel(({ messages }) => {
    if (messages.at(-1)!.role === 'tool') return say('Done.')
    if (textOf(messages[0]!).startsWith('Pay.')) return call('pay', { n: 2 })
    return [call('pay', { n: 1 }), call('wipe'), call('delegate_to', { agent: 'clerk', task: 'pay' })]
  })
  const session = await device()
    .tab({
      model,
      tools: [pay, { ...pay, name: 'wipe', destructive: true }],
      askTools: ['pay(n = 1)'],
      agents: { clerk: { description: 'pays', prompt: 'Pay.' } },
      canUseTool: (_name, _input, options) => (seen.push(options), { behavior: 'deny' }),
    })
    .open()
  await session.send('go')
  const [asked, wipe, helper] = seen
  expect(asked).toMatchObject({ matchedAskRule: 'pay(n = 1)', suppressAlwaysAllowRule: true, suggestions: [] })
  expect(asked!.decisionReason).toContain('pay(n = 1)')
  expect(wipe).toMatchObject({ defaultToNo: true, suppressAlwaysAllowRule: true })
  expect(wipe).not.toHaveProperty('matchedAskRule')
  expect(wipe).not.toHaveProperty('agentID')
  expect(helper).toMatchObject({ suppressAlwaysAllowRule: false, defaultToNo: false })
  expect(helper!.toolUseID.startsWith(`${helper!.agentID}.`)).toBe(true)
})

test('[K9] [K8] where the mode has become dontAsk meanwhile, nobody is asked after canUseTool', async () => {
  let isSet = () => Promise.resolve()
  const session = await device()
    .tab({
      model: scriptedModel([[call('pay')], say('Well.')]),
      tools: [pay],
      canUseTool: async () => void (await isSet()),
    })
    .open()
  isSet = () => session.setMode('dontAsk')
  expect(await session.send('go')).toMatchObject({ requests: [], permissionDenials: [{ tool: 'pay' }] })
})

test('[K9] [K7] what canUseTool makes of the arguments is held against the deny rules again', async () => {
  const { agent } = functional([call('pay', { amount: 1 }), say('Done.')], {
    tools: [pay],
    disallowedTools: ['pay(amount = 100..)'],
    canUseTool: () => ({ behavior: 'allow', updatedInput: { amount: 500 } }),
  })
  ran.length = 0
  expect((await agent.invoke(hello)).metadata.permissionDenials).toMatchObject([{ args: { amount: 500 } }])
  expect(ran).toEqual([])
})

test('[K9] a no is what the model reads; with interrupt it ends the turn, and calls beside it get their result', async () => {
  const { agent, model } = functional([call('pay'), say('Well.')], {
    tools: [pay],
    canUseTool: () => ({ behavior: 'deny', message: 'Not today.' }),
  })
  const denied = await agent.invoke(hello)
  expect(textOf(model.requests[1]!.messages.at(-1)!)).toBe('Not today.')
  expect(denied.metadata.permissionDenials).toMatchObject([{ tool: 'pay', reason: 'Not today.' }])

  const script = [[call('pay', { n: 1 }), call('other')], say('never')]
  const session = await device()
    .tab({
      model: scriptedModel(script),
      tools: [pay, { ...pay, name: 'other' }],
      canUseTool: (name) => (name === 'pay' ? { behavior: 'deny', message: 'Stop.', interrupt: true } : undefined),
    })
    .open()
  const result = await session.send('go')
  await until(() => session.status.value === 'idle')
  expect(session.lastEnd.value?.terminalReason).toBe('aborted_tools')
  expect(result.text).not.toBe('never')
  expect(session.messages.value.filter(({ role }) => role === 'tool')).toHaveLength(2)
  expect(session.requests.value).toEqual([])
})

test('[K9] where it decides nothing, or throws, a person is asked', async () => {
  for (const canUseTool of [() => undefined, () => Promise.reject(new Error('no idea'))]) {
    const { agent, warnings } = functional([call('pay')], { tools: [pay], canUseTool })
    expect((await agent.invoke(hello)).metadata.requests).toMatchObject([{ tool: 'pay' }])
    expect(warnings.join()).toBe(warnings.length ? 'canUseTool threw at "pay" (no idea); it decided nothing.' : '')
  }
})

test('[K35] suggestions given back are "always": in the session or for the user, and a mode may be set along with it', async () => {
  const here = device()
  for (const destination of ['session', 'userSettings'] as const) {
    let asked = 0
    const canUseTool = (_name: string, _input: unknown, { suggestions }: CanUseToolOptions): PermissionResult => {
      asked += 1
      const always = suggestions.map((update) => ({ ...update, destination }))
      return { behavior: 'allow', updatedPermissions: [...always, { type: 'setMode', mode: 'acceptEdits' }] }
    }
    const script = [[call('pay', { to: destination })], [call('pay', { to: destination })], say('Done.')]
    const session = await here.tab({ model: scriptedModel(script), tools: [pay], canUseTool }).open(destination)
    await session.send('go')
    expect(asked).toBe(1)
    expect(session.mode.value).toBe('acceptEdits')
    expect(session.rules.value).toHaveLength(destination === 'session' ? 1 : 0)
  }
  expect(await here.store.rules('tester')).toMatchObject([{ rule: 'pay(= {"to":"userSettings"})' }])
})

test('[K35] updatedPermissions add rules of any kind for the user, and take them away where they are kept', async () => {
  const here = device()
  const updates: PermissionUpdate[][] = [
    [{ type: 'addRules', rules: [{ toolName: 'pay' }, { toolName: 'other' }], behavior: 'allow', destination: 'user' }],
    [{ type: 'removeRules', rules: [{ toolName: 'pay' }], behavior: 'allow', destination: 'user' }],
    [{ type: 'replaceRules', rules: [{ toolName: 'new' }], behavior: 'allow', destination: 'user' }],
    [{ type: 'addRules', rules: [{ toolName: 'bad' }], behavior: 'deny', destination: 'user' }],
    [{ type: 'addRules', rules: [{ toolName: 'odd' }], behavior: 'ask', destination: 'user' }],
    [{ type: 'replaceRules', rules: [{ toolName: 'worse' }], behavior: 'deny', destination: 'user' }],
    [{ type: 'removeRules', rules: [{ toolName: 'worse' }], behavior: 'deny', destination: 'user' }],
  ]
  const kept = [
    ['allow pay', 'allow other'],
    ['allow other'],
    ['allow new'],
    ['allow new', 'deny bad'],
    ['allow new', 'deny bad', 'ask odd'],
    ['allow new', 'ask odd', 'deny worse'],
    ['allow new', 'ask odd'],
  ]
  for (const [index, updatedPermissions] of updates.entries()) {
    const tab = here.tab({
      model: scriptedModel([call('ask'), say('Done.')]),
      tools: [{ ...pay, name: 'ask' }],
      canUseTool: () => ({ behavior: 'allow', updatedPermissions }),
    })
    const session = await tab.open(`s${index}`)
    await session.send('go')
    const rules = await here.store.rules('tester')
    expect(rules.map(({ decision, rule }) => `${decision} ${rule}`).sort()).toEqual(kept[index]!.sort())
    expect(session.rules.value).toEqual([])
    expect(tab.warnings).toEqual([])
  }
})

test('[K35] what is denied or asked for a user holds in every session, also for what runs by itself, until it is taken back', async () => {
  const here = device()
  const script = () =>
    scriptedModel([[call('plain', { n: 1 }), call('plain', { n: 2 }), call('plain', { n: 3 })], say('Done.')])
  const rulesFor = (n: number, behavior: 'deny' | 'ask'): PermissionUpdate => {
    return { type: 'addRules', rules: [{ toolName: 'plain', ruleContent: `n = ${n}` }], behavior, destination: 'user' }
  }
  const updatedPermissions = [rulesFor(1, 'deny'), rulesFor(2, 'ask')]
  const canUseTool = () => ({ behavior: 'allow', updatedPermissions }) as const
  const first = await here
    .tab({ model: scriptedModel([call('pay'), say('Done.')]), tools: [pay], canUseTool })
    .open('one')
  await first.send('go')

  ran.length = 0
  const tab = here.tab({ model: script(), tools: [plain] })
  const session = await tab.open('two')
  const { requests } = await session.send('go')
  expect(requests).toMatchObject([{ args: { n: 2 } }])
  expect(await session.approve(requests[0]!.id)).toMatchObject({ permissionDenials: [{ args: { n: 1 } }] })
  expect(ran).toEqual([{ n: 3 }, { n: 2 }])

  for (const { id } of await here.store.rules('tester')) await here.store.deleteRule(id)
  ran.length = 0
  await (await here.tab({ model: script(), tools: [plain] }).open('three')).send('go')
  expect(ran).toHaveLength(3)
})

test('[K35] [K9] an approval does not outrank what was denied for the user meanwhile', async () => {
  const here = device()
  ran.length = 0
  const session = await here.tab({ model: scriptedModel([call('pay', { n: 1 }), say('Done.')]), tools: [pay] }).open()
  const { requests } = await session.send('go')
  const denied = { id: 'tester/pay', agent: 'tester', rule: 'pay', decision: 'deny', createdAt: 1 } as const
  await here.store.saveRule(denied)
  expect(await session.approve(requests[0]!.id)).toMatchObject({ permissionDenials: [{ tool: 'pay' }] })
  expect(ran).toEqual([])
})

test('[K35] replaceRules leaves the session only the new ones; a rule or mode that cannot be is said, and the call runs all the same', async () => {
  const updates: PermissionUpdate[][] = [
    [{ type: 'addRules', rules: [{ toolName: 'one' }, { toolName: 'two' }], behavior: 'allow' }],
    [{ type: 'replaceRules', rules: [{ toolName: 'three', ruleContent: 'n = 1' }], behavior: 'allow' }],
    [{ type: 'addRules', rules: [{ toolName: 'four', ruleContent: '' }], behavior: 'allow' }],
    [{ type: 'setMode', mode: 'bypassPermissions' }],
  ]
  const model = scriptedModel([...updates.map((_update, n) => [call('pay', { n })]), say('Done.')])
  const tab = device().tab({
    model,
    tools: [pay],
    canUseTool: (_name, input) => ({
      behavior: 'allow',
      updatedPermissions: updates[(input as { n: number }).n],
    }),
  })
  ran.length = 0
  const session = await tab.open()
  await session.send('go')
  expect(ran).toHaveLength(4)
  expect(session.rules.value.map(({ rule }) => rule)).toEqual(['three(n = 1)'])
  expect(session.mode.value).toBe('default')
  expect(tab.warnings).toEqual([
    expect.stringContaining('"four()" cannot be read'),
    expect.stringContaining('allowDangerouslySkipPermissions'),
  ])
})

test('[K35] a session that has all the rules it can keep says so, and takes another once one is taken back', async () => {
  const rules = Array.from({ length: 200 }, (_, n) => ({ toolName: `tool${n}` }))
  const more = { type: 'addRules', rules: [{ toolName: 'more' }], behavior: 'allow' } as const
  const updates: readonly PermissionUpdate[][] = [[{ ...more, rules }], [more]]
  const model = scriptedModel([call('fill', { n: 0 }), call('fill', { n: 1 }), call('pay'), say('Done.')])
  const tab = device().tab({
    model,
    tools: [pay, { ...pay, name: 'fill' }],
    canUseTool: (name, input) =>
      name === 'fill' ? { behavior: 'allow', updatedPermissions: updates[(input as { n: number }).n] } : undefined,
  })
  const session = await tab.open()
  const { requests } = await session.send('go')
  expect(session.rules.value).toHaveLength(200)
  expect(tab.warnings).toEqual([expect.stringContaining('200 rules')])
  const { refused } = await session.approve(requests[0]!.id, { always: 'session' })
  expect(refused).toContain('200 rules')
  await session.revokeRule('tool7')
  expect(await session.approve(requests[0]!.id, { always: 'session' })).toMatchObject({ text: 'Done.' })
  expect(session.rules.value.at(-1)).toMatchObject({ rule: 'pay(= {})' })
})

test('[K9] [K34] in dontAsk canUseTool is not asked', async () => {
  let asked = 0
  const { agent } = functional([call('pay'), say('Well.')], {
    tools: [pay],
    permissionMode: 'dontAsk',
    canUseTool: () => ((asked += 1), { behavior: 'allow' }),
  })
  expect((await agent.invoke(hello)).metadata.permissionDenials).toHaveLength(1)
  expect(asked).toBe(0)
})

test.each([
  ['a call', { needsApproval: true }],
  ['what a tool wants approved', { asks: true }],
])(
  '[K9] [C49] a decision about %s counts once: whichever write the tab dies at, the call runs at most once, and the rule is kept once',
  async (_what, { asks, ...rest }: { needsApproval?: boolean; asks?: boolean }) => {
    for (let dies = 1; dies < 9; dies += 1) {
      const store = openMemoryStore()
      const here = device(store)
      let runs = 0
      const func = async (_args: unknown, ctx: ToolContext) => {
        if (asks) await ctx.requestApproval()
        runs += 1
        return 'paid'
      }
      const canUseTool = (_name: string, _input: unknown, { suggestions }: CanUseToolOptions): PermissionResult => ({
        behavior: 'allow',
        updatedPermissions: suggestions,
      })
      const options = {
        model: scriptedModel(({ messages }) =>
          messages.at(-1)!.role === 'tool' ? say('Done.') : call('pay', { n: 1 }),
        ),
        tools: [{ name: 'pay', ...rest, func }],
        canUseTool,
      }
      let writes = 0
      const tab = here.tab(options, {
        ...store,
        append: (batch) => ((writes += 1) === dies ? new Promise<never>(() => tab.kill()) : store.append(batch)),
      })
      const session = await tab.open()
      void session.send('go').then(() => {})
      await until(() => writes >= dies || session.status.value === 'idle')
      const again = await here.tab(options).open()
      const isRest = () =>
        again.messages.value.length > 2 || again.requests.value.some(({ kind }) => kind === 'outcome')
      await until(isRest, `dying at ${dies}`)
      expect(runs).toBeLessThanOrEqual(1)
      expect(again.rules.value.length).toBeLessThanOrEqual(1)
      if (again.requests.value.length === 0) expect(runs).toBe(1)
    }
  },
)

test.each([
  ['canUseTool', { canUseTool: () => new Promise<never>(() => {}) }],
  ['a hook', { hooks: { PreToolUse: [{ matcher: 'pay', hooks: [() => new Promise<never>(() => {})] }] } }],
])('[K9] [K33] while %s takes its time the answer is kept, and a call beside it runs', async (_who, options) => {
  const store = openMemoryStore()
  ran.length = 0
  const session = await device(store)
    .tab({
      model: scriptedModel([[...say('I will pay.'), call('pay', { n: 1 }), call('plain', { n: 2 })]]),
      tools: [pay, plain],
      ...options,
    })
    .open()
  void session.send('go').then(() => {})
  await until(() => ran.length === 1)
  expect(session.pending.value.map(textOf)).toContain('I will pay.')
  expect((await store.entries('s1', 0)).filter(({ type }) => type === 'call-request')).toHaveLength(2)
  await session.stop()
})
