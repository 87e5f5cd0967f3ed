import fc from 'fast-check'
import { expect, test } from 'vitest'
import { activeAgent } from '../agents/active-agent.ts'
import { defineAgent } from '../agents/agent.ts'
import { asHandoff } from '../agents/handoff.ts'
import type { ModelRequest } from '../ports/model.ts'
import { emptyHead, foldOf } from '../session/fold.ts'
import { openJournal, type Journal, type NewEntry } from '../session/journal.ts'
import type { Message } from '../session/message.ts'
import { createPathReader } from '../session/path-reader.ts'
import { promptOf } from './prompt.ts'
import { runAgentOf, type Run } from './run.ts'
import { stepStart } from './step-start.ts'
import { guardrailName } from '../smart/guardrail.ts'
import { asked } from './turn.fixture.ts'

test('[C10] results stand in the order of their calls, whichever came first', async () => {
  const messages = [user('go'), calling('a', 'b'), result('b'), result('a'), user('and?')]
  const [request] = await asked({ messages, options: { tools: [book] } })
  expect(ids(request)).toEqual(['go', 'm-a', 'a.r', 'b.r', 'and?'])
})

test('[C12] a call without a result is closed, so that no provider refuses the conversation', async () => {
  const messages = [user('go'), calling('a', 'b'), result('b'), user('and?')]
  const [request] = await asked({ messages, options: { tools: [book] } })
  expect(request?.messages[2]).toMatchObject({
    role: 'tool',
    tool_call_id: 'a',
    content: expect.stringContaining('No result'),
  })
})

test('[C58] where no tools are sent, calls and their results are told in words: providers refuse them there', async () => {
  const spoken = { ...calling('c'), content: 'One more.' }
  const messages = [user('go'), calling('a', 'b'), result('b'), spoken, result('c'), user('and?')]
  const [request] = await asked({ messages })
  expect(request?.messages.map(({ role, content }) => [role, content])).toEqual([
    ['user', 'go'],
    ['user', '[System Notice] book({}) gave: No result: the call was not carried out.'],
    ['user', '[System Notice] book({}) gave: ok'],
    ['assistant', 'One more.'],
    ['user', '[System Notice] book({}) gave: ok'],
    ['user', 'and?'],
  ])
  expect(request?.messages.some((message) => message.tool_calls ?? message.tool_call_id)).toBe(false)
})

test('an answer that was cut off, an empty one and an unfinished last one are not sent', async () => {
  const [request] = await asked({ messages: [user('go'), answer('', 'stopped'), answer('Once', 'stopped')] })
  expect(ids(request)).toEqual(['go'])
})

test('the system message holds the instructions and what the built-in tools need, and the tools come in one order', async () => {
  const [request] = await asked({
    messages: [user('go')],
    options: {
      instructions: async () => 'Be kind.',
      useTodoList: true,
      humanInTheLoop: { askUser: { promptOverride: 'Ask little.' } },
      tools: [book],
    },
  })
  const [system] = request?.messages ?? []
  expect(system).toMatchObject({ role: 'system' })
  expect(system?.content).toMatch(/^Be kind\.\n\n.*manage_todo_list.*\n\nAsk little\.$/s)
  expect(request?.tools?.map(({ name }) => name)).toEqual(['manage_todo_list', 'ask_user_question', 'book'])
})

test('[C52] a tool that was not asked for is not offered', async () => {
  const [request] = await asked({ messages: [user('go')] })
  expect(request).not.toHaveProperty('tools')
  expect(ids(request)).toEqual(['go'])
})

test('any history becomes a conversation every provider takes', async () => {
  const id = fc.constantFrom('a', 'b', 'c', 'd')
  const part = fc.oneof(
    fc.constant(user('words')),
    fc.constantFrom(answer('text'), answer('')),
    fc.uniqueArray(id, { minLength: 1, maxLength: 3 }).map((calls) => calling(...calls)),
    id.map((call) => result(call)),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 12 }), fc.constantFrom([], [book]), async (parts, tools) => {
      const messages = [...parts, user('last')].map((message, index) => ({ ...message, id: `m${index}` }))
      const [request] = await asked({ messages, options: { tools } })
      expectValid(request?.messages ?? [])
      if (!tools.length) expect(request?.messages.some(({ tool_calls: calls }) => calls)).toBe(false)
    }),
  )
})

test('a prompt that goes on from the last is the one made from the beginning, whatever happened in between', async () => {
  const move = fc.record({
    isChild: fc.boolean(),
    place: fc.nat(),
    type: fc.constantFrom(
      ...'say say call call result result result return goto compact compact handoff block'.split(' '),
    ),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(move, { maxLength: 30 }), async (moves) => {
      const journal = openJournal({ fold: foldOf(emptyHead('s', 'tester')), clock, epoch: 1 })
      const child = journal.child('t.1.0')
      const begin: NewEntry[] = [
        { type: 'session-start', agent: 'tester', sessionId: 's' },
        { type: 'turn-start', turnId: 't', origin: 'code' },
        stepStart({ id: 't', step: 0 }),
      ]
      await journal.append(begin)
      await child.append(begin)
      for (const [count, { isChild, place, type }] of moves.entries()) {
        const own = isChild ? child : journal
        await own.append(entriesOf(own, type, place, `m${count}`))
        const { fold } = own
        const copy = { ...foldOf(fold.head), bodies: fold.bodies }
        const anew = runOn({ ...own, fold: copy, messages: createPathReader(copy) })
        expect(await promptOf(runOn(own))).toEqual(await promptOf(anew))
      }
    }),
    { numRuns: 1000 },
  )
})

function entriesOf(journal: Journal, type: string, place: number, id: string): NewEntry[] {
  const { fold } = journal
  const { nodes } = fold.head
  const calls = nodes.flatMap((node) => fold.bodies.get(node.id)?.tool_calls ?? [])
  const node = nodes[place % (nodes.length || 1)]?.id
  const call = calls.at(-1 - (place % 3))
  const calledAt = nodes.find(({ id: at }) => fold.bodies.get(at)?.tool_calls?.some((one) => one === call))?.id
  switch (type) {
    case 'call': {
      const made = calling(...[`${id}.0`, `${id}.1`].slice(place % 2))
      return [{ type: 'message-add', message: { ...made, id } }]
    }
    case 'result': {
      const given = { status: 'complete', content: `of ${call?.id}`, args: {}, tool: 'book' } as const
      return call ? [{ type: 'tool-result', callId: call.id, result: given }] : []
    }
    case 'return':
      return calledAt ? [{ type: 'cursor-set', leaf: calledAt }, ...entriesOf(journal, 'result', place, id)] : []
    case 'goto':
      return [{ type: 'cursor-set', leaf: place % 5 ? (node ?? null) : null }]
    case 'compact': {
      const archived = nodes
        .filter(({ role }, index) => role === 'tool' && index % 2 === place % 2)
        .map((one) => one.id)
      const made = {
        id: `${id}.c`,
        upTo: (place % 2 ? fold.head.leaf : node) ?? '',
        summary: id,
        archived,
        trigger: 'auto',
      } as const
      const counts = { tokensBefore: 0, tokensAfter: 0, messagesCompressed: 0 }
      return [
        { type: 'compaction-add', compaction: { ...made, ...counts, ...(place % 3 === 0 && { hiddenTo: node }) } },
      ]
    }
    case 'handoff':
      return [{ type: 'agent-set', agent: place % 2 ? 'other' : 'tester' }, stepStart({ id: 't', step: 0 })]
    case 'block':
      return [{ type: 'message-add', message: { ...answer('no'), id, name: guardrailName } }]
    default:
      return [{ type: 'message-add', message: place % 3 ? user(id) : { ...answer(place % 2 ? id : ''), id } }]
  }
}

const book = { name: 'book', description: 'Books', func: () => 1 }
const clock = { now: () => 0, elapsed: () => 0, sleep: async () => {}, after: () => () => {} }
const other = defineAgent({ name: 'other', runtimeProfile: 'fast', instructions: 'Be brief.' })
const tester = runAgentOf(defineAgent({ name: 'tester', runtimeProfile: 'balanced', tools: [asHandoff(other)] }), {
  // Nobody asks it: a prompt is all that is made here.
  stream: () => {
    throw new Error('asked')
  },
})

function runOn(journal: Journal): Run {
  const { signal } = new AbortController()
  // Only what a prompt is made of.
  return { journal, clock, signal, agent: () => activeAgent(tester, journal.fold.head) } as unknown as Run
}

function expectValid(messages: readonly Message[]): void {
  for (let index = 0; index < messages.length; index += 1) {
    const { role, content, tool_calls: calls } = messages[index] as Message
    expect(role).not.toBe('tool')
    expect(Boolean(content?.length || calls?.length)).toBe(true)
    for (const { id } of calls ?? []) expect(messages[(index += 1)]).toMatchObject({ role: 'tool', tool_call_id: id })
  }
  expect(messages.at(-1)?.role).toBe('user')
}

function ids(request: ModelRequest | undefined): string[] {
  return (request?.messages ?? []).map(({ id }) => id)
}

function user(id: string): Message {
  return { id, role: 'user', content: id, meta }
}

function answer(text: string, status: Message['meta']['status'] = 'complete'): Message {
  return { id: `m-${text}`, role: 'assistant', content: text, meta: { ...meta, status } }
}

function calling(...calls: string[]): Message {
  const toolCalls = calls.map((id) => ({ id, type: 'function' as const, function: { name: 'book', arguments: '{}' } }))
  return { id: `m-${calls[0]}`, role: 'assistant', content: null, tool_calls: toolCalls, meta }
}

function result(call: string): Message {
  return { id: `${call}.r`, role: 'tool', content: 'ok', tool_call_id: call, meta }
}

const meta: Message['meta'] = { status: 'complete', createdAt: 0 }
