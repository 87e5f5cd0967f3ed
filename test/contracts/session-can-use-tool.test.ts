/** The page's own word on a call: PreToolUse hooks and `canUseTool`, through real sessions. */
import {
  textOf,
  type CanUseToolOptions,
  type HookInput,
  type HookOutput,
  type PermissionResult,
  type PermissionUpdate,
  type ToolContext,
} from '@dogear/core'
import { openMemoryStore } from '@dogear/store'
import { call, say, scriptedModel } from '@dogear/testing'
import { expect, test } from 'vitest'
import { device, until } from './device.ts'
import { functional, hello } from './functional.ts'

const ran: unknown[] = []
const pay = { name: 'pay', needsApproval: true, func: (args: unknown) => (ran.push(args), 'paid') }
const plain = { ...pay, name: 'plain', needsApproval: false }

function before(
  output: Omit<NonNullable<HookOutput['hookSpecificOutput']>, 'hookEventName'>,
): HookOutput<'PreToolUse'> {
  return { hookSpecificOutput: { hookEventName: 'PreToolUse', ...output } }
}

test('[K33] PreToolUse hooks rewrite one after the other, and what they leave is checked, decided about and run', async () => {
  const seen: unknown[] = []
  const add = ({ tool_input }: HookInput<'PreToolUse'>) => {
    seen.push(tool_input)
    return before({ updatedInput: { n: (tool_input as { n: number }).n + 1 }, additionalContext: `saw ${seen.length}` })
  }
  const model = scriptedModel([[call('plain', { n: 1 }), call('plain', { n: 98 })], say('Done.')])
  ran.length = 0
  const session = await device()
    .tab({
      model,
      tools: [plain],
      disallowedTools: ['plain(n = 100)'],
      hooks: { PreToolUse: [{ matcher: 'plain', hooks: [add, add] }] },
    })
    .open()
  const result = await session.send('go')
  expect(seen).toEqual(expect.arrayContaining([{ n: 1 }, { n: 2 }, { n: 98 }, { n: 99 }]))
  expect(ran).toEqual([{ n: 3 }])
  expect(result.permissionDenials).toMatchObject([{ args: { n: 100 } }])
  expect(textOf(model.requests[1]!.messages.at(-2)!)).toMatch(/^paid\n\nsaw \d\n\nsaw \d$/)
})

test('[K33] arguments a hook broke do not run', async () => {
  const typed = { ...plain, parameters: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } }
  const { agent, model } = functional([call('plain', { n: 1 }), say('Done.')], {
    tools: [typed],
    hooks: { PreToolUse: [{ hooks: [() => before({ updatedInput: { n: {} } })] }] },
  })
  ran.length = 0
  await agent.invoke(hello)
  expect(ran).toEqual([])
  expect(textOf(model.requests[1]!.messages.at(-1)!)).toContain('Invalid arguments after a hook')
})

test.each([
  [['allow', 'deny'], 'denied'],
  [['deny', 'allow'], 'denied'],
  [['allow', 'ask'], 'asked'],
  [['ask', 'defer'], 'deferred'],
  [['allow'], 'ran'],
] as const)('[K34] hooks that say %j: the strictest holds, and the call is %s', async (said, outcome) => {
  const hooks = { PreToolUse: [{ hooks: said.map((permissionDecision) => () => before({ permissionDecision })) }] }
  const { agent } = functional([call('plain', { n: 1 }), say('Done.')], {
    tools: [{ ...plain, unlisted: true }],
    hooks,
  })
  ran.length = 0
  const { metadata } = await agent.invoke(hello)
  const [request] = metadata.requests
  const got = request ? (request.kind === 'deferred' ? 'deferred' : 'asked') : ran.length ? 'ran' : 'denied'
  expect(got).toBe(outcome)
})

test.each([
  ['continue', 1],
  ['block', 0],
] as const)('[K18] a PreToolUse hook that is late means %s', async (onFailure, runs) => {
  const never = () => new Promise<never>(() => {})
  const { agent, warnings } = functional([call('plain'), say('Done.')], {
    tools: [plain],
    hooks: { PreToolUse: [{ hooks: [never], onFailure, timeout: 0.01 }] },
  })
  ran.length = 0
  await agent.invoke(hello)
  expect(ran).toHaveLength(runs)
  expect(warnings.join()).toContain('did not answer within 0.01 s')
})

test('[K36] deferred calls wait, many at once, across a reload, and are then approved, rejected or given their result', async () => {
  const here = device()
  const hooks = { PreToolUse: [{ hooks: [() => before({ permissionDecision: 'defer' })] }] }
  const script = [[call('plain', { n: 1 }), call('plain', { n: 2 }), call('plain', { n: 3 })], say('Done.')]
  const model = scriptedModel(script)
  ran.length = 0
  const tab = here.tab({ model, tools: [plain], hooks })
  const { requests } = await (await tab.open()).send('go')
  expect(requests.map(({ kind }) => kind)).toEqual(['deferred', 'deferred', 'deferred'])
  tab.kill()
  const again = await here.tab({ model, tools: [plain], hooks }).open()
  await again.resolve(requests[2]!.id, { type: 'result', result: 'three' })
  await again.reject(requests[1]!.id, 'no')
  const result = await again.approve(requests[0]!.id)
  expect(result.text).toBe('Done.')
  expect(ran).toEqual([{ n: 1 }])
  const results = model.requests[1]!.messages.slice(-3).map(textOf)
  expect(results).toEqual(['paid', 'Tool call rejected: no', 'three'])
})

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

test('[K31] hooks are told who is at work and in which mode, and a matcher is the whole name', async () => {
  const told: unknown[] = []
  const hook = (input: HookInput<'PreToolUse'>) => void told.push(input)
  const { agent } = functional([[call('plain', { n: 1 }), call('plainer')], say('Done.')], {
    tools: [plain, { ...plain, name: 'plainer' }],
    permissionMode: 'acceptEdits',
    hooks: { PreToolUse: [{ matcher: 'plain', hooks: [hook] }] },
  })
  await agent.invoke(hello)
  expect(told).toMatchObject([
    { hook_event_name: 'PreToolUse', permission_mode: 'acceptEdits', agent_type: 'tester', tool_input: { n: 1 } },
  ])
})

test('[K33] a PreToolUse hook that says not to continue denies the call and ends the turn', async () => {
  const session = await device()
    .tab({
      model: scriptedModel([[call('plain')], say('never')]),
      tools: [plain],
      hooks: { PreToolUse: [{ hooks: [() => ({ continue: false, reason: 'Enough.' })] }] },
    })
    .open()
  ran.length = 0
  expect(await session.send('go')).toMatchObject({
    terminalReason: 'aborted_tools',
    permissionDenials: [{ tool: 'plain', reason: 'Enough.' }],
  })
  expect(ran).toEqual([])
})

test('[K31] a PermissionRequest hook that blocks is a no', async () => {
  const { agent } = functional([call('pay'), say('Well.')], {
    tools: [pay],
    canUseTool: () => expect.unreachable('the hook has answered'),
    hooks: { PermissionRequest: [{ hooks: [() => ({ decision: 'block', reason: 'Not today.' })] }] },
  })
  const { metadata } = await agent.invoke(hello)
  expect(metadata.permissionDenials).toMatchObject([{ tool: 'pay', reason: 'Not today.' }])
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

test('[K35] updatedPermissions take rules away where they are kept, and say what cannot be kept for a user', async () => {
  const here = device()
  const updates: PermissionUpdate[][] = [
    [{ type: 'addRules', rules: [{ toolName: 'pay' }, { toolName: 'other' }], behavior: 'allow', destination: 'user' }],
    [{ type: 'removeRules', rules: [{ toolName: 'pay' }], behavior: 'allow', destination: 'user' }],
    [{ type: 'replaceRules', rules: [{ toolName: 'new' }], behavior: 'allow', destination: 'user' }],
    [{ type: 'addRules', rules: [{ toolName: 'bad' }], behavior: 'deny', destination: 'user' }],
  ]
  const kept = [['pay', 'other'], ['other'], ['new'], ['new']]
  for (const [index, updatedPermissions] of updates.entries()) {
    const tab = here.tab({
      model: scriptedModel([call('ask'), say('Done.')]),
      tools: [{ ...pay, name: 'ask' }],
      canUseTool: () => ({ behavior: 'allow', updatedPermissions }),
    })
    const session = await tab.open(`s${index}`)
    await session.send('go')
    expect((await here.store.rules('tester')).map(({ rule }) => rule).sort()).toEqual(kept[index]!.sort())
    if (index < 3) expect(session.rules.value).toEqual([])
    else {
      expect(session.rules.value).toMatchObject([{ rule: 'bad', decision: 'deny' }])
      expect(tab.warnings.join()).toContain('only for this session')
    }
  }
})

test('[K33] what a hook adds for the model is read beside the result, also where a person or the tool itself asks first', async () => {
  const PreToolUse = [{ hooks: [() => before({ additionalContext: 'Mind the tax.' })] }]
  const asking = {
    name: 'asking',
    func: async (_args: unknown, ctx: ToolContext) => (await ctx.requestApproval(), 'asked'),
  }
  const model = scriptedModel([[call('pay'), call('asking')], say('Done.')])
  const here = device()
  const tab = here.tab({ model, tools: [pay, asking], hooks: { PreToolUse } })
  const { requests } = await (await tab.open()).send('go')
  tab.kill()
  const session = await here.tab({ model, tools: [pay, asking], hooks: { PreToolUse } }).open()
  await session.resolveAll(
    requests.map(({ id }) => id),
    { type: 'approve' },
  )
  await until(() => session.status.value === 'idle')
  const results = model.requests[1]!.messages.slice(-2).map(textOf)
  expect(results).toEqual(['paid\n\nMind the tax.', 'asked\n\nMind the tax.'])
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

test('[K9] [C49] a decision counts once: whichever write the tab dies at, the call runs at most once, and the rule is kept once', async () => {
  for (let dies = 1; dies < 9; dies += 1) {
    const store = openMemoryStore()
    const here = device(store)
    let runs = 0
    const canUseTool = (_name: string, _input: unknown, { suggestions }: CanUseToolOptions): PermissionResult => ({
      behavior: 'allow',
      updatedPermissions: suggestions,
    })
    const options = {
      model: scriptedModel(({ messages }) => (messages.at(-1)!.role === 'tool' ? say('Done.') : call('pay', { n: 1 }))),
      tools: [{ name: 'pay', needsApproval: true, func: () => ((runs += 1), 'paid') }],
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
    const isRest = () => again.messages.value.length > 2 || again.requests.value.some(({ kind }) => kind === 'outcome')
    await until(isRest, `dying at ${dies}`)
    expect(runs).toBeLessThanOrEqual(1)
    expect(again.rules.value.length).toBeLessThanOrEqual(1)
    if (again.requests.value.length === 0) expect(runs).toBe(1)
  }
})

test('[K31] PermissionRequest answers before canUseTool does, and PermissionDenied and Notification hear of what came of it', async () => {
  const heard: string[] = []
  const { agent, model } = functional([[call('pay', { n: 1 }), call('plain', { n: 2 }), call('other')], say('Well.')], {
    tools: [pay, plain, { ...pay, name: 'other' }],
    disallowedTools: ['plain(n = 2)'],
    canUseTool: () => undefined,
    hooks: {
      PermissionRequest: [
        {
          matcher: 'pay',
          hooks: [
            () => ({ hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: { behavior: 'allow' } } }),
          ],
        },
      ],
      PermissionDenied: [
        {
          hooks: [
            ({ tool_name }) => {
              heard.push(`denied ${tool_name}`)
              return { hookSpecificOutput: { hookEventName: 'PermissionDenied', retry: true } }
            },
          ],
        },
      ],
      Notification: [{ matcher: 'permission_prompt', hooks: [({ message }) => void heard.push(message)] }],
    },
  })
  ran.length = 0
  const { metadata, messages } = await agent.invoke(hello)
  expect(ran).toEqual([{ n: 1 }])
  expect(heard.sort()).toEqual(['Other waits for approval.', 'denied plain'])
  expect(messages.map(textOf).join()).toContain('You may try this call again.')
  expect(metadata.requests).toMatchObject([{ tool: 'other' }])
  expect(model.requests).toHaveLength(1)
})

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
