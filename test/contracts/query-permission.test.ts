/** `query()`'s permissions: what its options mean, and what its messages tell of them. */
import { textOf, type ToolContext } from '@dogear/core'
import { call, say, scriptedModel } from '@dogear/testing'
import { createSmartAgent, query, type HookInput, type QueryOptions, type SDKMessage } from 'dogear'
import { expect, test } from 'vitest'

const ran: unknown[] = []
const pay = { name: 'pay', needsApproval: true, func: (args: unknown) => (ran.push(args), 'paid') }
const look = { name: 'look', effect: 'read' as const, func: () => 'seen' }

function nothing(): AsyncIterable<never> {
  return { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }) }
}

async function all(options: QueryOptions): Promise<SDKMessage[]> {
  ran.length = 0
  const messages: SDKMessage[] = []
  for await (const message of query({ prompt: 'go', options })) messages.push(message)
  return messages
}

test('[K7] [K8] [K9] canUseTool allows, edits and denies; what it denies is told and listed', async () => {
  const model = scriptedModel([[call('pay', { euros: 5 }), call('pay', { euros: 50 })], say('Done.')])
  const messages = await all({
    model,
    tools: [pay],
    canUseTool: async (_name, input) =>
      (input as { euros: number }).euros > 10
        ? { behavior: 'deny', message: 'Too much.' }
        : { behavior: 'allow', updatedInput: { euros: 1 } },
  })
  expect(ran).toEqual([{ euros: 1 }])
  expect(messages).toContainEqual(
    expect.objectContaining({ subtype: 'permission_denied', tool_name: 'pay', reason: 'Too much.' }),
  )
  expect(messages.at(-1)).toMatchObject({
    permission_denials: [{ tool_name: 'pay', tool_input: { euros: 50 } }],
    terminal_reason: 'completed',
  })
})

test('[K7] [K9] where canUseTool decides nothing the call is denied: nobody else is there', async () => {
  const messages = await all({
    model: scriptedModel([call('pay'), say('Well.')]),
    tools: [pay],
    canUseTool: () => undefined,
  })
  expect(ran).toEqual([])
  expect(messages.at(-1)).toMatchObject({ result: 'Well.', permission_denials: [{ tool_name: 'pay' }] })
})

test('[K8] [K31] a query asks nobody: no Request is opened and no notice given, only a denial is told', async () => {
  const heard: unknown[] = []
  const hear = (input: HookInput) => void heard.push(input.hook_event_name)
  const hooks = { Notification: [{ hooks: [hear] }], PermissionDenied: [{ hooks: [hear] }] }
  const messages = await all({ model: scriptedModel([call('pay'), say('Well.')]), tools: [pay], hooks })
  expect(heard).toEqual(['PermissionDenied'])
  expect(messages).toContainEqual(
    expect.objectContaining({
      subtype: 'permission_denied',
      reason: 'Nobody can be asked here. Do without it, or say what you need.',
    }),
  )
})

/** Asks once it runs, whatever let it run. */
const order = {
  name: 'order',
  async func(args: unknown, ctx: ToolContext) {
    await ctx.requestApproval({ prompt: 'Order for 9 euros?', args: { euros: 9 } })
    ran.push(args)
    return 'ordered'
  },
}

test('[K9] [C51] what a tool wants approved is asked of canUseTool, as it shows it', async () => {
  const asked: unknown[] = []
  const messages = await all({
    model: scriptedModel([[call('order', { n: 1 })], say('Done.')]),
    tools: [order],
    canUseTool: (name, input, { title }) => (asked.push([name, input, title]), { behavior: 'allow' }),
  })
  expect(asked).toEqual([['order', { euros: 9 }, 'Order for 9 euros?']])
  expect(ran).toEqual([{ n: 1 }])
  expect(messages.at(-1)).toMatchObject({ result: 'Done.', permission_denials: [] })
})

test.each<[string, QueryOptions['canUseTool'], string]>([
  ['denied', () => ({ behavior: 'deny', message: 'Too dear.' }), 'Too dear.'],
  ['left undecided', () => undefined, 'Nobody can be asked here.'],
  [
    'changed, although a tool asks about what it shows',
    () => ({ behavior: 'allow', updatedInput: {} }),
    'approve it as it is',
  ],
  ['asked of nobody', undefined, 'Nobody can be asked here.'],
])('[K9] [C51] what a tool wants approved and is %s is refused', async (_how, canUseTool, reason) => {
  const model = scriptedModel([[call('order', { n: 1 })], say('Well.')])
  const messages = await all({ model, tools: [order], canUseTool })
  expect(ran).toEqual([])
  expect(messages).toContainEqual(
    expect.objectContaining({ subtype: 'permission_denied', reason: expect.stringContaining(reason) }),
  )
  expect(messages.at(-1)).toMatchObject({ result: 'Well.', permission_denials: [{ tool_name: 'order' }] })
})

test('[K9] [C51] a no with interrupt to what a tool wants approved ends the question', async () => {
  const messages = await all({
    model: scriptedModel([[call('order')], say('never')]),
    tools: [order],
    canUseTool: () => ({ behavior: 'deny', interrupt: true }),
  })
  expect(ran).toEqual([])
  expect(messages.at(-1)).toMatchObject({ terminal_reason: 'aborted_tools' })
})

test('[K9] a no with interrupt ends the question', async () => {
  const messages = await all({
    model: scriptedModel([call('pay'), say('never')]),
    tools: [pay],
    canUseTool: () => ({ behavior: 'deny', message: 'Stop it.', interrupt: true }),
  })
  expect(messages.at(-1)).toMatchObject({ subtype: 'error_during_execution', terminal_reason: 'aborted_tools' })
})

test('[K7] [K8] allowedTools, disallowedTools and the mode hold, and setPermissionMode changes it', async () => {
  const server = { ...look, name: 'server', unlisted: true, func: (args: unknown) => (ran.push(args), 'ok') }
  const model = scriptedModel([
    [call('server', { n: 1 }), call('server', { n: 2 })],
    say('one'),
    [call('server', { n: 3 })],
    say('two'),
  ])
  const tools = [server, pay]
  let asked: ReturnType<typeof query>
  let answered = () => {}
  const isAnswered = new Promise<void>((resolve) => (answered = resolve))
  async function* prompts() {
    yield { type: 'user', message: { role: 'user', content: 'one' } } as const
    await isAnswered
    await asked.setPermissionMode('acceptEdits')
    yield { type: 'user', message: { role: 'user', content: 'two' } } as const
  }
  ran.length = 0
  const options = { model, tools, allowedTools: ['server(n = 1)'], disallowedTools: ['pay'] }
  asked = query({ prompt: prompts(), options })
  const messages: SDKMessage[] = []
  for await (const message of asked) {
    messages.push(message)
    if (message.type === 'result') answered()
  }
  expect(messages[0]).toMatchObject({ subtype: 'init', tools: ['server'], permissionMode: 'default' })
  expect(ran).toEqual([{ n: 1 }, { n: 3 }])
  const denials = messages.flatMap((message) => (message.type === 'result' ? [message.permission_denials] : []))
  expect(denials).toMatchObject([[{ tool_name: 'server', tool_input: { n: 2 } }], []])
  const unasked = query({ prompt: nothing(), options: { model: scriptedModel([]) } })
  await expect(unasked.setPermissionMode('bypassPermissions')).rejects.toThrow('allowDangerouslySkipPermissions')
  unasked.close()
  expect(() => query({ prompt: 'go', options: { model, permissionMode: 'bypassPermissions' } })).toThrow(
    'allowDangerously',
  )
})

test('[K8] leaving plan mode is asked of canUseTool, and its yes begins the work', async () => {
  const asked: string[] = []
  const script = [[call('write')], [call('exit_plan_mode', { plan: 'write' })], [call('write')], say('Done.')]
  const messages = await all({
    model: scriptedModel(script),
    tools: [{ name: 'write', func: () => (ran.push('write'), 'ok') }],
    permissionMode: 'plan',
    planModeInstructions: 'Plan in rhymes.',
    canUseTool: (name) => (asked.push(name), { behavior: 'allow' }),
  })
  expect(asked).toEqual(['exit_plan_mode'])
  expect(ran).toEqual(['write'])
  expect(messages.at(-1)).toMatchObject({ result: 'Done.', permission_denials: [{ tool_name: 'write' }] })
})

const which = { question: 'Which?', header: 'Room', options: [{ label: 'Sea view', value: 'sea' }, { label: 'Yard' }] }
const extras = { question: 'Extras?', multiSelect: true, options: [{ label: 'Breakfast' }, { label: 'Late, quiet' }] }
const asking = call('ask_user_question', { questions: [which, extras] })

test('[K34] [K9] the model’s questions reach canUseTool as AskUserQuestion, and its answers the model', async () => {
  const model = scriptedModel([asking, say('Booked.')])
  const asked: unknown[] = []
  const messages = await all({
    model,
    canUseTool: (name, input) => {
      asked.push([name, input])
      const answers = { 'Which?': 'Sea view', 'Extras?': 'Breakfast, a cot' }
      return { behavior: 'allow', updatedInput: { ...(input as object), answers } }
    },
  })
  expect(asked).toEqual([['AskUserQuestion', { questions: [which, extras] }]])
  expect(model.requests[0]!.tools?.map(({ name }) => name)).toContain('ask_user_question')
  expect(JSON.parse(textOf(model.requests[1]!.messages.at(-1)!))).toMatchObject({
    status: 'answered',
    answers: [{ values: ['sea'] }, { values: ['Breakfast'], freeText: 'a cot' }],
  })
  expect(messages.at(-1)).toMatchObject({ result: 'Booked.', permission_denials: [] })
})

test.each<[string, QueryOptions['canUseTool'], string]>([
  ['a yes without answers', () => ({ behavior: 'allow' }), 'an answer is required'],
  ['a no', () => ({ behavior: 'deny', message: 'Not now.' }), 'Not now.'],
  ['nothing', () => undefined, 'Nobody can be asked here'],
])('[K34] where canUseTool gives %s, the model reads that it has no answer', async (_what, canUseTool, reads) => {
  const model = scriptedModel([asking, say('Well.')])
  const messages = await all({ model, canUseTool })
  expect(textOf(model.requests[1]!.messages.at(-1)!)).toContain(reads)
  expect(messages.at(-1)).toMatchObject({ result: 'Well.' })
})

test.each<QueryOptions>([{}, { canUseTool: () => undefined, disallowedTools: ['AskUserQuestion'] }])(
  '[K34] [K7] without a canUseTool to ask, or where they are disallowed, the model has no questions: %o',
  async (options) => {
    const model = scriptedModel([say('Well.')])
    await all({ ...options, model })
    expect(model.requests[0]!.tools?.map(({ name }) => name) ?? []).not.toContain('ask_user_question')
  },
)

test.each([
  ['accept', ['elicitation_complete']],
  ['decline', []],
] as const)('[K16] an address that onElicitation answers with %s is told as %j', async (action, told) => {
  const login = {
    name: 'login',
    func: (_args: unknown, ctx: ToolContext) => ctx.elicit({ message: 'Sign in.', url: 'https://example.com/in' }),
  }
  const model = scriptedModel([call('login'), say('Well.')])
  const messages = await all({ model, tools: [login], onElicitation: () => ({ action }) })
  const subtypes = messages.flatMap((message) => (message.type === 'system' ? [message.subtype as string] : []))
  expect(subtypes.filter((subtype) => subtype.startsWith('elicitation'))).toEqual(told)
})

test('[K36] a deferred call ends the query with what it was, and the session waits for whoever opens it', async () => {
  const hooks = {
    PreToolUse: [
      {
        matcher: 'look',
        hooks: [
          () => ({
            hookSpecificOutput: { hookEventName: 'PreToolUse' as const, permissionDecision: 'defer' as const },
          }),
        ],
      },
    ],
  }
  const messages = await all({ model: scriptedModel([call('look', { at: 'it' })]), tools: [look], hooks })
  const last = messages.at(-1)
  expect(last).toMatchObject({
    type: 'result',
    stop_reason: 'tool_deferred',
    terminal_reason: 'tool_deferred',
    deferred_tool_use: { name: 'look', input: { at: 'it' } },
  })
  const agent = createSmartAgent({ name: 'query', model: scriptedModel([say('Done.')]), tools: [look] })
  const session = await agent.open(last!.session_id)
  const [request] = session.requests.value
  expect(request).toMatchObject({ kind: 'deferred' })
  expect((await session.approve(request!.id)).text).toBe('Done.')
  session.close()
})

test.each(['PreToolUse', 'PostToolUse', 'PostToolBatch', 'Stop'] as const)(
  '[K29] [K32] a %s hook that says not to continue is told as hook_stopped, and as no error',
  async (event) => {
    const hooks = { [event]: [{ hooks: [() => ({ continue: false })] }] }
    const script = event === 'Stop' ? [say('Seen.')] : [call('look'), say('never')]
    const messages = await all({ model: scriptedModel(script), tools: [look], hooks })
    expect(messages.at(-1)).toMatchObject({ subtype: 'success', is_error: false, terminal_reason: 'hook_stopped' })
    expect(messages.at(-1)).toMatchObject({ result: event === 'Stop' ? 'Seen.' : '' })
  },
)

test('[K14] includeHookEvents tells of each hook when it is asked and what it said', async () => {
  const hooks = {
    PreToolUse: [{ matcher: 'look', hooks: [() => ({ reason: 'fine' })] }],
    Stop: [{ hooks: [() => Promise.reject(new Error('oops'))] }],
  }
  const model = () => scriptedModel([call('look'), say('Done.')])
  const told = (messages: SDKMessage[]) =>
    messages.flatMap((message) =>
      message.type === 'system' && 'hook_event' in message
        ? [`${message.subtype} ${message.hook_name} ${'output' in message ? message.output : ''}`.trim()]
        : [],
    )
  expect(told(await all({ model: model(), tools: [look], hooks, includeHookEvents: true }))).toEqual([
    'hook_started PreToolUse:look',
    'hook_response PreToolUse:look {"reason":"fine"}',
    'hook_started Stop:*',
    'hook_response Stop:* oops',
  ])
  expect(told(await all({ model: model(), tools: [look], hooks }))).toEqual([])
})
