/** Hooks around a call, through real sessions: they rewrite, deny, ask, defer and add, one after the other. */
import { textOf, type HookCallback, type HookInput, type ToolContext } from '@dogear/core'
import { call, say, scriptedModel } from '@dogear/testing'
import { expect, test } from 'vitest'
import { device, until } from './device.ts'
import { functional, hello } from './functional.ts'
import { before, pay, plain, ran } from './paying-tools.ts'

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

test('[K18] a hook whose time is over, or whose turn is stopped, is told by its signal; one that answers is not', async () => {
  const told: string[] = []
  const noting = (name: string, answer: Promise<void>): HookCallback<'PreToolUse'> => {
    return (_input, _id, { signal }) => {
      signal.addEventListener('abort', () => told.push(name))
      return answer
    }
  }
  const never = new Promise<never>(() => {})
  const model = scriptedModel([call('plain'), call('pay'), say('never')])
  const hooks = {
    PreToolUse: [
      { matcher: 'plain', hooks: [noting('late', never)], timeout: 0.01 },
      { matcher: 'plain', hooks: [noting('in time', Promise.resolve())] },
      { matcher: 'pay', hooks: [noting('stopped', never)] },
    ],
  }
  ran.length = 0
  const session = await device()
    .tab({ model, tools: [plain, pay], hooks })
    .open()
  const turn = session.send('go')
  await until(() => told.length === 1)
  await until(() => model.requests.length === 2)
  await session.stop()
  await turn
  await until(() => told.length === 2)
  expect(told).toEqual(['late', 'stopped'])
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

test('[K31] hooks are told who is at work and in which mode, and a matcher is the whole name', async () => {
  const told: unknown[] = []
  const hook = (input: HookInput<'PreToolUse'>) => void told.push(input)
  const { agent } = functional([[call('plain', { n: 1 }), call('plainer'), call('not_plain')], say('Done.')], {
    tools: [plain, { ...plain, name: 'plainer' }, { ...plain, name: 'not_plain' }],
    permissionMode: 'acceptEdits',
    hooks: { PreToolUse: [{ matcher: 'plain', hooks: [hook] }] },
  })
  await agent.invoke(hello)
  expect(told).toMatchObject([
    { hook_event_name: 'PreToolUse', permission_mode: 'acceptEdits', agent_type: 'tester', tool_input: { n: 1 } },
  ])
})

test('[K29] [K33] a PreToolUse hook that says not to continue denies the call and ends the turn', async () => {
  const session = await device()
    .tab({
      model: scriptedModel([[call('plain')], say('never')]),
      tools: [plain],
      hooks: { PreToolUse: [{ hooks: [() => ({ continue: false, reason: 'Enough.' })] }] },
    })
    .open()
  ran.length = 0
  expect(await session.send('go')).toMatchObject({
    terminalReason: 'hook_stopped',
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
