/** Elicitation: forms and addresses that a tool wants a person for, through real sessions. */
import { textOf, type ElicitationRequest, type Elicited, type ToolContext } from '@dogear/core'
import { call, say, scriptedModel } from '@dogear/testing'
import { query, type SDKMessage } from 'dogear'
import { expect, test } from 'vitest'
import { device, until } from './device.ts'
import { functional, hello } from './functional.ts'

const requestedSchema = {
  type: 'object',
  properties: { street: { type: 'string', minLength: 3 } },
  required: ['street'],
} as const
const form: Elicited = { message: 'Where to?', requestedSchema }
const home = { street: 'Rua Augusta' }

/** A tool that elicits and then has its effect; what it was told, and how often it was entered. */
function sender(what: unknown = form) {
  const seen = { entered: 0, told: [] as unknown[] }
  const ship = {
    name: 'ship',
    async func(_args: unknown, ctx: ToolContext) {
      seen.entered += 1
      const answer = await ctx.elicit(what as Elicited)
      seen.told.push(answer)
      return answer.action
    },
  }
  const model = scriptedModel([call('ship'), say('Done.')])
  return { seen, model, options: { model, tools: [ship] } }
}

test('[K16] a form waits as a Request that shows what is wanted, and what fits its schema reaches the tool', async () => {
  const { seen, options, model } = sender()
  const session = await device().tab(options).open()
  const { requests } = await session.send('go')
  expect(requests).toMatchObject([
    { kind: 'elicitation', message: 'Where to?', parameters: requestedSchema, tool: 'ship', label: 'Ship' },
  ])
  const { id } = requests[0]!
  for (const content of [{ street: 'x' }, {}, undefined, ['x'], 'x']) {
    const { refused } = await session.resolve(id, { type: 'fill', content: content as never })
    expect(refused).toMatch(/^This cannot be taken: /)
  }
  expect((await session.resolve(id, { type: 'approve' })).refused).toContain('takes fill, reject, cancel')
  expect(seen.told).toEqual([])
  expect(await session.resolve(id, { type: 'fill', content: home })).toMatchObject({ text: 'Done.' })
  expect(seen).toEqual({ entered: 2, told: [{ action: 'accept', content: home }] })
  expect(textOf(model.requests[1]!.messages.at(-1)!)).toBe('accept')
})

test.each([
  ['reject', 'decline'],
  ['cancel', 'cancel'],
] as const)('[K16] %s: the tool learns of it and goes on', async (type, action) => {
  const { seen, options } = sender()
  const session = await device().tab(options).open()
  const { requests } = await session.send('go')
  expect(await session.resolve(requests[0]!.id, { type })).toMatchObject({ terminalReason: 'completed' })
  expect(seen.told).toEqual([{ action }])
})

test('[K16] [G3] a form that waits is there after a reload, and its answer counts once', async () => {
  const here = device()
  const { seen, options } = sender()
  const tab = here.tab(options)
  await (await tab.open()).send('go')
  tab.kill()
  const again = await here.tab(options).open()
  await until(() => again.status.value === 'paused')
  await again.resolve(again.requests.value[0]!.id, { type: 'fill', content: home })
  expect(seen.told).toEqual([{ action: 'accept', content: home }])
})

test('[K16] an address is gone to, and nothing is filled in', async () => {
  const { seen, options } = sender({ message: 'Sign in.', url: 'https://example.com/in' })
  const session = await device().tab(options).open()
  const { requests } = await session.send('go')
  expect(requests).toMatchObject([{ kind: 'elicitation', message: 'Sign in.', url: 'https://example.com/in' }])
  const { refused } = await session.resolve(requests[0]!.id, { type: 'fill', content: home })
  expect(refused).toContain('not filled in')
  await session.resolve(requests[0]!.id, { type: 'fill' })
  expect(seen.told).toEqual([{ action: 'accept' }])
})

test.each([
  [{ message: 'x', url: 'javascript:alert(1)' }, 'must begin with https://'],
  [{ message: 'x', url: ' data:text/html,x' }, 'must begin with https://'],
  [{ message: 'x', url: 'https:javascript:alert(1)' }, 'must begin with https://'],
  [{ message: '', requestedSchema }, 'message must say'],
  [{ message: 'x' }, 'give requestedSchema'],
  [{ message: 'x', requestedSchema: { type: 'string' } }, 'give requestedSchema'],
  [{ message: 'x', requestedSchema, url: 'https://example.com' }, 'not both'],
])('[K16] %j is refused to the tool, and nobody is asked', async (what, problem) => {
  const { options, model } = sender(what)
  const session = await device().tab(options).open()
  expect(await session.send('go')).toMatchObject({ terminalReason: 'completed' })
  expect(textOf(model.requests[1]!.messages.at(-1)!)).toContain(problem)
})

test('[K16] onElicitation answers in the person’s place; what it leaves, or gets wrong, goes to them', async () => {
  const asked: ElicitationRequest[] = []
  const answers = [{ action: 'accept', content: home }, undefined, { action: 'accept', content: {} }] as const
  for (const [index, answer] of answers.entries()) {
    const { seen, options } = sender()
    const onElicitation = async (request: ElicitationRequest) => {
      asked.push(request)
      return answer
    }
    const session = await device()
      .tab({ ...options, onElicitation })
      .open()
    const result = await session.send('go')
    expect(session.answeredElsewhere.value).toBeNull()
    if (index === 0) {
      expect(seen).toEqual({ entered: 2, told: [answer] })
      continue
    }
    expect(result.requests).toMatchObject([{ kind: 'elicitation', message: 'Where to?' }])
    await session.resolve(result.requests[0]!.id, { type: 'fill', content: home })
    expect(seen).toEqual({ entered: 2, told: [{ action: 'accept', content: home }] })
  }
  expect(asked).toHaveLength(3)
  expect(asked[0]).toMatchObject({ mode: 'form', message: 'Where to?', requestedSchema, toolName: 'ship' })
})

test('[K16] [G3] a reload while onElicitation decides asks it again, and nobody whether the call happened', async () => {
  const here = device()
  const { seen, options } = sender()
  let asked = 0
  const tab = here.tab({ ...options, onElicitation: () => (asked++, new Promise(() => {})) })
  void (await tab.open()).send('go')
  await until(() => asked === 1)
  tab.kill()
  const onElicitation = () => ({ action: 'accept', content: home }) as const
  const again = await here.tab({ ...options, onElicitation }).open()
  await until(() => again.status.value === 'idle')
  expect(again.lastEnd.value).toMatchObject({ terminalReason: 'completed' })
  expect(seen.told).toEqual([{ action: 'accept', content: home }])
})

test('[K16] [K31] Elicitation hooks come before onElicitation, may answer or block; ElicitationResult may override', async () => {
  const seen: unknown[] = []
  const elicitation = (output: object) => () => ({ hookSpecificOutput: { hookEventName: 'Elicitation', ...output } })
  const never = () => expect.unreachable('a hook answered')
  const outcome = async (hooks: object, told: unknown, onElicitation: () => never | object = never) => {
    const { seen: own, options } = sender()
    const session = await device()
      .tab({ ...options, hooks, onElicitation: onElicitation as never })
      .open()
    await session.send('go')
    expect(own).toEqual({ entered: 2, told: [told] })
  }
  const answers = [{ matcher: 'ship', hooks: [elicitation({ action: 'accept', content: home })] }]
  await outcome({ Elicitation: answers }, { action: 'accept', content: home })
  await outcome({ Elicitation: [{ hooks: [() => ({ decision: 'block' })] }] }, { action: 'decline' })
  const away = { street: 'Elsewhere' }
  const override = (input: unknown) => {
    seen.push(input)
    return { hookSpecificOutput: { hookEventName: 'ElicitationResult', action: 'accept', content: away } }
  }
  const results = [{ hooks: [override] }]
  await outcome({ Elicitation: answers, ElicitationResult: results }, { action: 'accept', content: away })
  expect(seen).toMatchObject([
    { hook_event_name: 'ElicitationResult', tool_name: 'ship', mode: 'form', action: 'accept', content: home },
  ])
  await outcome({ ElicitationResult: results }, { action: 'accept', content: away }, () => ({ action: 'cancel' }))
  const broken = [{ hooks: [() => ({ hookSpecificOutput: { action: 'accept', content: {} } })] }]
  await outcome({ Elicitation: answers, ElicitationResult: broken }, { action: 'decline' })
})

test('[K16] what a person said may be overridden too, and the tool hears the one answer on every later entry', async () => {
  const told: unknown[] = []
  const twice = {
    name: 'twice',
    async func(_args: unknown, ctx: ToolContext) {
      told.push([await ctx.elicit(form), await ctx.elicit({ message: 'And then?', requestedSchema })])
    },
  }
  const away = { street: 'Elsewhere' }
  const hook = ({ message }: { message: string }) =>
    message === 'Where to?' ? { hookSpecificOutput: { action: 'accept', content: away } } : undefined
  const session = await device()
    .tab({
      model: scriptedModel([call('twice'), say('Done.')]),
      tools: [twice],
      hooks: { ElicitationResult: [{ hooks: [hook as never] }] },
    })
    .open()
  for (let left = 2, { requests } = await session.send('go'); left > 0; left -= 1) {
    ;({ requests } = await session.resolve(requests[0]!.id, { type: 'fill', content: home }))
  }
  expect(told).toEqual([
    [
      { action: 'accept', content: away },
      { action: 'accept', content: home },
    ],
  ])
})

test('[K16] in query() and in invoke nobody is there: onElicitation answers, or it is declined', async () => {
  const ask = async (given: object) => {
    const { seen, options } = sender()
    const messages: SDKMessage[] = []
    for await (const message of query({ prompt: 'go', options: { ...options, ...given } })) messages.push(message)
    expect(messages.at(-1)).toMatchObject({ type: 'result', result: 'Done.' })
    return seen.told
  }
  expect(await ask({})).toEqual([{ action: 'decline' }])
  expect(await ask({ onElicitation: () => undefined })).toEqual([{ action: 'decline' }])
  expect(await ask({ onElicitation: () => ({ action: 'accept', content: home }) })).toEqual([
    { action: 'accept', content: home },
  ])
  const { seen, options } = sender()
  await functional([call('ship'), say('Done.')], { tools: options.tools }).agent.invoke(hello)
  expect(seen.told).toEqual([{ action: 'decline' }])
})

test('[K16] with permissionPrompts none a session declines what the page leaves undecided, and nothing waits', async () => {
  for (const given of [{}, { onElicitation: () => undefined }]) {
    const { seen, options } = sender()
    const session = await device()
      .tab({ ...options, ...given, permissionPrompts: 'none' })
      .open()
    expect(await session.send('go')).toMatchObject({ terminalReason: 'completed', requests: [] })
    expect(seen.told).toEqual([{ action: 'decline' }])
  }
})
