/** Notes between steps, structured answers and guardrails in a session: made once, whatever dies, and never in anybody's way. */
import {
  asTool,
  defineAgent,
  emptyHead,
  foldOf,
  guardrailSlice,
  pathOf,
  reduce,
  textOf,
  type Entry,
  type Message,
  type ModelRequest,
  type SmartAgentOptions,
  type Store,
} from '@dogear/core'
import { openMemoryStore } from '@dogear/store'
import { call, fail, pause, say, scriptedModel, usage, type Answer } from '@dogear/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { device, until } from './device.ts'

const look = { name: 'look', effect: 'read' as const, func: () => 'seen' }
const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }

test('[C31] [C32] after a step with tools the model makes a note, kept with what it cost and shown to it alone', async () => {
  const model = scriptedModel(
    thinking([call('look'), say('Done.')], (n) => [say(`note ${n}`), usage({ input: 7, output: 3 })]),
  )
  const { entries, session } = await lived({ model, tools: [look], reasoning: reflecting() })
  const [reflection] = reflectionsOf(entries)
  expect(reflection).toMatchObject({
    id: `${session.lastEnd.value?.turnId}.1.m.reflection`,
    turn: 1,
    text: 'note 1',
    trigger: 'after_tool',
    anchorMessageIndex: 2,
    toolCallIds: [`${session.lastEnd.value?.turnId}.1.0`],
    usage: { inputTokens: 7, outputTokens: 3, totalTokens: 10, cachedInputTokens: 0, reasoningTokens: 0 },
  })
  expect(reflection?.durationMs).toBeGreaterThanOrEqual(0)
  expect(Date.parse(reflection?.createdAt ?? '')).toBeGreaterThan(0)
  expect(entries.find((entry) => entry.type === 'usage-add')).toMatchObject({ purpose: 'reflection' })
  expect(session.messages.value.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])

  const [, asking, after] = model.requests
  expect(asking).toMatchObject({ toolChoice: 'none', maxOutputTokens: 350 })
  expect(asking?.messages.slice(0, -1).map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])
  expect(textOf(after!.messages.at(-1)!)).toContain('agent_reflection')
  expect(textOf(after!.messages.at(-1)!)).toContain('note 1')
})

test('[C31] a note that fails does not fail the turn, and its developer reads why', async () => {
  const model = scriptedModel(thinking([call('look'), say('Done.')], () => fail('model-failed', { message: 'busy' })))
  const { entries, session, warnings } = await lived({ model, tools: [look], reasoning: reflecting() })
  expect(session.lastEnd.value?.terminalReason).toBe('completed')
  expect(reflectionsOf(entries)).toEqual([])
  expect(warnings.join()).toContain('reflection failed (busy)')
})

test('[C31] a note that says the last one again is dropped, and one that is too long is cut', async () => {
  const answers = [call('look'), call('look'), call('look'), say('Done.')]
  const notes = ['one two three four', 'One, two, three, four!', `${'x'.repeat(39)}😀${'y'.repeat(40)}`]
  const model = scriptedModel(thinking(answers, (n) => say(notes[n - 1]!)))
  const { entries } = await lived({ model, tools: [look], reasoning: reflecting({ maxChars: 40 }) })
  expect(reflectionsOf(entries).map(({ text }) => text)).toEqual(['one two three four', 'x'.repeat(39)])
})

test('[C31] only the last few notes are shown again, before the words of a new turn', async () => {
  const model = scriptedModel(
    thinking([call('look'), call('look'), say('Done.'), say('You are welcome.')], (n) => say(`note ${n}`)),
  )
  const { session } = await lived({ model, tools: [look], reasoning: reflecting({ keepLast: 1 }) })
  await session.send('thanks')
  const { messages } = model.requests.at(-1)!
  expect(textOf(messages.at(-1)!)).toBe('thanks')
  expect(textOf(messages.at(-2)!)).toContain('note 2')
  expect(textOf(messages.at(-2)!)).not.toContain('note 1')
})

test('[C31] a note made apart has a short prompt of its own; fed to memory it is a fact as well', async () => {
  const model = scriptedModel(thinking([call('look'), say('Done.')], () => say('remember this')))
  const how = reflecting({ mode: 'separate', feedTo: 'memory', promptTemplate: 'Reflect briefly: well?' })
  const { entries } = await lived({ model, tools: [look], instructions: 'Long ones.', reasoning: how })
  expect(model.requests[1]?.messages).toHaveLength(1)
  expect(model.requests[1]?.tools).toBeUndefined()
  expect(textOf(model.requests[1]!.messages[0]!)).toMatch(/tool: seen\n\nReflect briefly: well\?$/)
  expect(entries.find((entry) => entry.type === 'memory-add')).toMatchObject({
    fact: { value: 'remember this', scope: 'session', tags: ['reflection'] },
  })
})

test('[C31] maxPerRun caps the notes of one turn, and the next turn has its own', async () => {
  const answers = [call('look'), call('look'), call('look'), say('Done.'), call('look'), say('Again.')]
  const model = scriptedModel(thinking(answers, (n) => say(`note ${n}`)))
  const here = device()
  const session = await here.tab({ model, tools: [look], reasoning: reflecting({ maxPerRun: 2 }) }).open()
  await session.send('go')
  await session.send('once more')
  const made = reflectionsOf(await here.store.entries('s1', 0))
  expect(made.map(({ text }) => text)).toEqual(['note 1', 'note 2', 'note 5'])
})

test('[C31] no note is made while a person is waited for', async () => {
  const model = scriptedModel(thinking([call('look'), say('Done.')], () => say('note')))
  const tools = [{ ...look, needsApproval: true }]
  const session = await device().tab({ model, tools, reasoning: reflecting() }).open()
  const { requests } = await session.send('go')
  expect(model.requests).toHaveLength(1)
  await session.approve(requests[0]!.id)
  expect(model.requests).toHaveLength(3)
})

test('[C56] a turn of a session has its output, and the next one starts clean', async () => {
  const model = scriptedModel([call('response', { city: 'Lisbon' }), say('no'), say('no'), say('no')])
  const session = await device().tab({ model, outputSchema: schema }).open()
  expect(await session.send('where?')).toMatchObject({ output: { city: 'Lisbon' }, terminalReason: 'completed' })
  const next = await session.send('and now?')
  expect(next).toMatchObject({ output: undefined, terminalReason: 'structured_output_retry_exhausted' })
  expect(next.outputError).toContain('not JSON')
  expect(model.requests).toHaveLength(4)
})

test('[C56] [C57] the structured answer of an agent that works for another is the result', async () => {
  const finder = defineAgent({
    name: 'finder',
    model: scriptedModel([[say('Found it.'), call('response', { city: 'Lisbon' })]]),
    outputSchema: schema,
  })
  const model = scriptedModel([call('finder', { input: 'Where?' }), say('Lisbon.')])
  const session = await device()
    .tab({ model, tools: [asTool(finder)] })
    .open()
  await session.send('go')
  expect(textOf(model.requests[1]!.messages.at(-1)!)).toBe('{"city":"Lisbon"}')
})

test('[C60] what guardrails of the page said stands in the journal', async () => {
  const model = scriptedModel([say('42')])
  const warn = (reason: string) => ({ name: 'rule', check: () => ({ disposition: 'warn' as const, reason }) })
  const guardrails = { request: [warn('asked')], response: [warn('answered')] }
  const { entries, session } = await lived({ model, guardrails })
  const { turnId } = session.lastEnd.value!
  const said = entries.flatMap((entry) => (entry.type === 'slice-set' ? [entry] : []))
  expect(said).toMatchObject([
    {
      extension: guardrailSlice,
      value: { turnId, results: [{ phase: 'request', guardrail: 'rule', reason: 'asked' }] },
    },
    { value: { turnId, before: 1, results: [{ phase: 'request' }, { phase: 'response', reason: 'answered' }] } },
  ])
})

test('[C60] a blocked request ends its turn in the session', async () => {
  const model = scriptedModel([])
  const guardrails = { request: [{ check: () => ({ disposition: 'block' as const, replacement: 'No.' }) }] }
  const session = await device().tab({ model, guardrails }).open()
  expect(await session.send('secret')).toMatchObject({ terminalReason: 'guardrail_blocked', text: 'No.' })
  expect(session.status.value).toBe('idle')
})

test('[C24] [C27] [C28] a person’s change of the plan is theirs, and makes the model read it again', async () => {
  const write = { operation: 'write', todoList: [{ id: 1, step: 'Look' }] }
  const update = { operation: 'update', expectedVersion: 1, todoList: [{ id: 1, status: 'completed' }] }
  const plan = (args: unknown) => call('manage_todo_list', args)
  const model = scriptedModel([plan(write), say('Planned.'), plan(update), say('Hm.')])
  const here = device()
  const session = await here.tab({ model, useTodoList: true }).open()
  await session.send('go')
  await session.editPlan({ operation: 'update', todoList: [{ id: 1, step: 'Look twice' }] })
  expect(session.plan.value).toMatchObject({ version: 2, steps: [{ step: 'Look twice', owner: 'user' }] })
  const entries = await here.store.entries('s1', 0)
  expect(entries.findLast((entry) => entry.type === 'plan-set')).toMatchObject({
    source: 'system',
    operation: 'update',
  })
  await session.send('go on')
  expect(textOf(model.requests.at(-1)!.messages.at(-1)!)).toContain('The plan is at version 2, not 1')
  const refused = await session.editPlan({ operation: 'update', todoList: [{ id: 7, step: 'x' }] })
  expect(refused.refused).toContain('no step 7')
  expect(session.plan.value?.version).toBe(2)
})

test('[C25] a change of the model made while a person’s is being written fails by its version', async () => {
  const write = { operation: 'write', todoList: [{ id: 1, step: 'Look' }] }
  const update = { operation: 'update', expectedVersion: 1, todoList: [{ id: 1, step: 'Leave' }] }
  let speak = () => {}
  const mayUpdate = new Promise<void>((resolve) => (speak = resolve))
  const model = scriptedModel([
    call('manage_todo_list', write),
    [pause(mayUpdate), call('manage_todo_list', update)],
    say('Hm.'),
  ])
  const store = openMemoryStore()
  let go = () => {}
  const mayWrite = new Promise<void>((resolve) => (go = resolve))
  let isWriting = false
  const disk: Store = {
    ...store,
    async append(batch) {
      if (batch.entries.some((entry) => entry.type === 'plan-set' && entry.source === 'system')) {
        isWriting = true
        await mayWrite
      }
      return store.append(batch)
    },
  }
  const session = await device(store).tab({ model, useTodoList: true }, disk).open()
  const turn = session.send('go')
  await until(() => session.plan.value?.version === 1)
  void session.editPlan({ operation: 'update', todoList: [{ id: 1, step: 'Look twice' }] })
  await until(() => isWriting)
  speak()
  for (let tick = 0; tick < 20; tick += 1) await new Promise((resolve) => setTimeout(resolve))
  go()
  await turn
  expect(session.plan.value).toMatchObject({ version: 2, steps: [{ step: 'Look twice' }] })
  expect(textOf(model.requests.at(-1)!.messages.at(-1)!)).toContain('The plan is at version 2, not 1')
})

/** Two steps with tools and a note after each, words instead of the answer, a wrong answer, and the right one. */
const story: readonly Answer[] = [
  [...say('Let me', ' look.'), call('look')],
  [call('look'), call('manage_todo_list', { operation: 'write', todoList: [{ id: 1, step: 'Look' }] })],
  say('It is', ' Lisbon.'),
  call('response', {}),
  [...say('Here.'), call('response', { city: 'Lisbon' })],
]

test.each(['before', 'after'] as const)(
  '[C31] [C56] [C60] [G2] a tab that dies %s any one write leaves the same turn to the next',
  async (when) => {
    const whole = await survived([], false)
    for (let at = 1; at <= 36; at += 1) {
      expectSame(await survived([{ at, when }], at % 2 === (when === 'before' ? 0 : 1)), whole)
    }
  },
  60_000,
)

test('[C31] [C56] [C60] [G2] however often tabs die, the turn ends the same', async () => {
  const whole = await survived([], false)
  const death = fc.record({ at: fc.integer({ min: 1, max: 30 }), when: fc.constantFrom('before', 'after') })
  await fc.assert(
    fc.asyncProperty(fc.array(death, { maxLength: 6 }), fc.boolean(), async (deaths, resumable) => {
      expectSame(await survived(deaths, resumable), whole)
    }),
    { numRuns: 40, endOnFailure: true, examples: [[fourDeaths, false]] },
  )
}, 60_000)

const fourDeaths = Array.from({ length: 6 }, () => ({ at: 16, when: 'before' as const }))

interface Death {
  readonly at: number
  readonly when: 'before' | 'after'
}

/** One turn, driven by one tab after another, each dying at its time; the last one lives. */
async function survived(deaths: readonly Death[], resumable: boolean) {
  const store = openMemoryStore()
  const here = device(store)
  const model = scriptedModel(
    thinking(story, (n) => say(`note`, ` ${n}`)),
    { resumable },
  )
  const check = () => ({ disposition: 'warn' as const, reason: 'fine' })
  const options: SmartAgentOptions = {
    model,
    tools: [look],
    useTodoList: true,
    outputSchema: schema,
    reasoning: reflecting(),
    guardrails: { request: [{ check }], response: [{ check }] },
  }
  await store.send({ type: 'send', content: 'where?', when: 'later', commandId: 'c1', sessionId: 's1', at: 0 })
  for (const death of [...deaths, null]) {
    let die = () => {}
    const dead = new Promise<void>((resolve) => (die = resolve))
    const tab = here.tab(options, death ? mortalDisk(store, death, () => die()) : store)
    const session = await Promise.race([tab.open().catch(() => null), dead])
    const isDone = () => {
      const connection = session?.connection.value
      // Four deaths at one place, and it is parked: a person tries again.
      if (connection?.type === 'failed' && connection.error.code === 'session-parked') session?.resume()
      return session?.lastEnd.value?.turnId === 'c1'
    }
    await Promise.race([dead, session ? seen(isDone) : null])
    tab.kill()
  }
  const entries = await store.entries('s1', 0)
  for (const request of model.requests) expectValid(request)
  return entries
}

/** By turns of the event loop: hundreds of turns are lived here. */
async function seen(isDone: () => boolean): Promise<void> {
  for (let ticks = 0; ticks < 20_000 && !isDone(); ticks += 1) await new Promise((resolve) => setImmediate(resolve))
  if (!isDone()) throw new Error('the turn never ended')
}

function mortalDisk(store: Store, { at, when }: Death, die: () => void): Store {
  let asked = 0
  return new Proxy(store, {
    get(target, key: keyof Store) {
      const method = target[key] as (...args: unknown[]) => unknown
      return async (...args: unknown[]) => {
        asked += 1
        if (asked === at && when === 'before') return (die(), new Promise(() => {}))
        const value = await method.apply(target, args)
        if (asked === at && when === 'after') return (die(), new Promise(() => {}))
        return value
      }
    },
  })
}

/** But for the numbers of steps, which an answer that was cut off takes one of. */
function expectSame(entries: readonly Entry[], whole: readonly Entry[]): void {
  expect(shapeOf(entries)).toEqual(shapeOf(whole))
  const notes = reflectionsOf(entries).map(({ id }) => id)
  expect(new Set(notes).size).toBe(notes.length)
}

function shapeOf(entries: readonly Entry[]) {
  const fold = foldOf(emptyHead('s1', 'tester'))
  for (const entry of entries) reduce(fold, entry)
  const messages = pathOf(fold).filter((node) => !node.cut)
  return {
    messages: messages.map(({ id }) => fold.bodies.get(id)!).map(({ role, content }) => ({ role, content })),
    end: { ...fold.head.lastEnd, turnId: '' },
    notes: fold.head.reflections.map(({ text, turn }) => ({ text, turn })),
    plan: fold.head.plan?.steps,
    said: entries.filter(({ type }) => type === 'slice-set').length,
  }
}

/** As a provider would check it: every call followed by exactly its result, nothing empty, no answer at the end. */
function expectValid({ messages }: ModelRequest): void {
  for (let index = 0; index < messages.length; index += 1) {
    const { role, tool_calls: calls, content } = messages[index] as Message
    expect(role === 'system').toBe(index === 0 && role === 'system')
    expect(role).not.toBe('tool')
    expect(Boolean(content?.length || calls?.length)).toBe(true)
    for (const { id } of calls ?? []) expect(messages[(index += 1)]).toMatchObject({ role: 'tool', tool_call_id: id })
  }
  expect(messages.at(-1)?.role).not.toBe('assistant')
}

/** Answers by how many there are in the conversation; a note, by how many steps it comes after. */
function thinking(answers: readonly Answer[], note: (n: number) => Answer) {
  return ({ messages }: ModelRequest) => {
    const n = messages.filter(({ role }) => role === 'assistant').length
    return textOf(messages.at(-1)!).includes('Reflect briefly') ? note(n || 1) : answers[n]!
  }
}

function reflecting(more: object = {}): SmartAgentOptions['reasoning'] {
  return { reflection: { cadence: 'after_tool', ...more } }
}

function reflectionsOf(entries: readonly Entry[]) {
  return entries.flatMap((entry) => (entry.type === 'reflection-add' ? [entry.reflection] : []))
}

async function lived(options: SmartAgentOptions) {
  const here = device()
  const tab = here.tab(options)
  const session = await tab.open()
  await session.send('go')
  return { session, warnings: tab.warnings, entries: await here.store.entries('s1', 0) }
}
