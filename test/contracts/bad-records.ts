/** Sessions as they lie in the database, each in another state, and the agent that goes on with them. */
import { asHandoff, defineAgent, textOf, type Entry, type SmartAgentOptions, type Store } from '@dogear/core'
import { openIndexedDbStore } from '@dogear/store'
import { call, forever, say, scriptedModel, usage, type Answer, type Script, type ScriptedModel } from '@dogear/testing'
import type { Session } from '@dogear/worker'
import { expect } from 'vitest'
import { readRows, type Row } from './database-rows.ts'
import { device, until } from './device.ts'

const plan = { operation: 'write', todoList: [{ id: 1, step: 'Look', status: 'in-progress' }] }
const question = { questions: [{ question: 'Where?', options: [{ label: 'Here' }, { label: 'There' }] }] }
const at = { sessionId: 's1', at: 1 }

const noted = { disposition: 'warn', reason: 'They look.' } as const

export function agentWith(model: ScriptedModel): SmartAgentOptions {
  const look = { name: 'look', effect: 'read' as const, func: () => ({ found: 'Three rooms are free. '.repeat(20) }) }
  return {
    model,
    tools: [
      look,
      { name: 'book', needsApproval: true, func: () => 'booked' },
      { name: 'buy', func: () => ({ order: 7 }), undo: () => {} },
      { name: 'hang', func: () => new Promise<never>(() => {}) },
      asHandoff(defineAgent({ name: 'billing', model, tools: [look] })),
    ],
    useTodoList: true,
    humanInTheLoop: { askUser: true },
    runtimeProfile: 'balanced',
    memory: { scope: 'user' },
    guardrails: { request: [{ check: ({ text }) => (text === 'Look around' ? noted : undefined) }] },
    reasoning: { reflection: { cadence: 'after_tool', maxPerRun: 1 } },
  }
}

/** A session at rest: words, a plan, calls, an approval that was given; and its cached head. */
export async function restingRows(): Promise<Row[]> {
  return rowsAfter(
    async (session) => {
      await session.send('Look around')
      const asked = await session.send('Book it')
      await session.approve(asked.requests[0]!.id)
      await session.rename('Lisbon')
      await session.snapshot({ tag: 'kept' })
    },
    thinking([
      [say('I will.'), call('manage_todo_list', plan), call('look'), usage({ input: 5, output: 2 })],
      say('Found three.'),
      call('book', { hotel: 'Sol' }),
      say('Booked.'),
    ]),
  )
}

/** One in the middle of things: a question open, a command in its inbox, words half said. */
export async function openRows(): Promise<Row[]> {
  const asking = await rowsAfter(
    async (session) => {
      await session.send('Hello')
      await session.send('Book it')
      await session.send('And this', { when: 'later' }).saved
    },
    [say('Hello.'), [call('book', { hotel: 'Sol' }), call('ask_user_question', question)]],
  )
  return [
    ...asking,
    { store: 'inbox', key: 901, value: { type: 'send', content: 'Later', when: 'later', commandId: 'c901', ...at } },
    { store: 'inbox', key: 902, value: { type: 'rename', title: 'New name', commandId: 'c902', ...at } },
  ]
}

export async function streamingRows(): Promise<Row[]> {
  return rowsAfter(
    async (session, store) => {
      void session.send('Go')
      await until(() => session.partial.value?.text === 'Half')
      const stepId = session.partial.value!.stepId
      await store.savePartial({ ...session.partial.value!, sessionId: 's1', epoch: 1 })
      expect(await store.partial('s1', stepId)).toBeDefined()
    },
    [[say('Half'), forever]],
  )
}

/** One in which everything was done that a session can do. */
export async function seasonedRows(): Promise<Row[]> {
  return rowsAfter(
    async (session) => {
      await session.send('Look around')
      await session.compact()
      const words = session.messages.value.at(-1)!.id
      await session.send('Buy it')
      await session.rewind(words)
      const [here] = (await session.send('Book it')).requests
      await session.approve(here!.id, { always: 'session' })
      const [anywhere] = (await session.send('And the Sol')).requests
      await session.approve(anywhere!.id, { always: 'user' })
      const [refused] = (await session.send('And the Luna')).requests
      await Promise.all([session.reject(refused!.id, 'Too dear'), session.approve(refused!.id)])
      await session.send('My invoice')
    },
    thinking([
      call('look'),
      call('look'),
      call('look'),
      say('Found three.'),
      call('buy'),
      say('Bought.'),
      call('book', { hotel: 'Rio' }),
      say('Booked.'),
      call('book', { hotel: 'Sol' }),
      say('Booked, too.'),
      call('book', { hotel: 'Luna' }),
      say('Not booked.'),
      call('handoff_to_billing', { reason: 'an invoice' }),
      say('Billing here.'),
    ]),
  )
}

/** One that began as a copy of another. */
export async function forkedRows(): Promise<Row[]> {
  const rows = await rowsAfter(
    async (session) => {
      await session.send('Look around')
      const fork = await session.fork({ id: 's1' })
      await fork.send('And here?')
    },
    thinking([call('look'), say('Found three.'), say('Here, too.')]),
    's0',
  )
  return rows.filter(({ key }) => [key].flat()[0] !== 's0')
}

/** One whose owner died in a call; what it came to is beside it, with all else that may lie there. */
export async function leftRows(): Promise<Row[]> {
  const left = await rowsAfter(
    async (session) => {
      void session.send('Go')
      await until(() => session.calls.value.some(({ intent }) => intent), 'the call')
    },
    [call('hang')],
  )
  const intent = left.map(({ value }) => value as Entry).find(({ type }) => type === 'tool-intent')
  if (intent?.type !== 'tool-intent') throw new Error('There is no intent.')
  const { callId, key, argsHash, attempt } = intent
  const result = { status: 'complete', tool: 'hang', content: 'LX-207', args: {}, durationMs: 5 }
  const beside = (kind: string, id: string, value: unknown): Row => ({ store: 'side', key: [kind, 's1', id], value })
  return [
    ...left,
    beside('evidence', callId, { key, argsHash, attempt, result }),
    beside('host', 'h1', { place: intent.stepId, life: 'gone' }),
    beside('quarantine', 'journal.99', { type: 'message-add', message: { words: 'Lost.' } }),
    beside('draft', 'composer', 'Half a thou'),
    beside('cursor', 'view', { top: 40 }),
    beside('lease', 'dogear::s1', 'host 12'),
    { store: 'blobs', key: ['s1', 'a1b2'], value: 'A long text.' },
  ]
}

/** Answers in order; what it is asked beside that, for a note or a summary, has answers of its own. */
function thinking(answers: readonly Answer[]): Script {
  let next = 0
  return ({ messages }) => {
    if (textOf(messages.at(-1)!).includes('Reflect briefly')) return say('Enough.')
    if (textOf(messages[0]!).startsWith('Sum up')) return [say(JSON.stringify(summary)), usage({ input: 9, output: 2 })]
    return answers[next++]!
  }
}

const summary = {
  stable_facts: [{ key: 'city', value: 'Lisbon', confidence: 0.9 }],
  rawSummary: 'They look for a room.',
}

let databases = 0

async function rowsAfter(
  live: (session: Session, store: Store) => Promise<unknown>,
  script: Script,
  id = 's1',
): Promise<Row[]> {
  const name = `good${(databases += 1)}`
  const store = await openIndexedDbStore({ name })
  const tab = device(store).tab(agentWith(scriptedModel(script)))
  const session = await tab.open(id)
  await live(session, store)
  // The head is cached after the turn's end is told.
  for (let tries = 0; tries < 20; tries += 1) await new Promise((resolve) => setTimeout(resolve))
  tab.kill()
  return readRows(name)
}
