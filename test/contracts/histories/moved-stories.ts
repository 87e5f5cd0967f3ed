/** Sessions that did not go straight on: rewound, branched, summed up, handed over, imported. */
import { asHandoff, defineAgent, type SmartAgentOptions } from '@dogear/core'
import { call, say, usage, type Script } from '@dogear/testing'
import { until } from '../device.ts'
import { book, booking, plain, type Story } from './story.ts'

const look = { name: 'look', label: 'Look', effect: 'read', func: () => 'Three rooms are free. '.repeat(20) } as const

const looking = (script: Script): SmartAgentOptions => ({ ...plain(script), tools: [look] })

const summary = {
  stable_facts: [{ key: 'city', value: 'Lisbon', confidence: 0.9 }],
  rawSummary: 'They look for a room in Lisbon.',
}

let undoBegan = false

export const movedStories: Readonly<Record<string, Story>> = {
  'a branch, and a call undone': {
    agent: (script) => ({ ...plain(script), tools: [{ ...book, undo: () => {} }] }),
    script: [say('Hello.'), say('Good evening.'), booking, say('Booked.')],
    async live(session) {
      await session.send('Hi')
      await session.edit(session.messages.value[0]!.id, 'Good evening')
      await session.send('Book it')
      await session.snapshot({ tag: 'booked' })
      await session.rewind(session.messages.value[1]!.id)
    },
    begins: 'Good evening',
    rest: [say('Not booked any more.')],
    answer: (session) => session.send('Is it booked?'),
    ends: 'Not booked any more.',
  },
  'a rewind cut in the middle': {
    agent: (script) => ({
      ...plain(script),
      tools: [
        {
          ...book,
          undo() {
            undoBegan = true
            return new Promise<never>(() => {})
          },
        },
      ],
    }),
    script: [say('Hello.'), booking, say('Booked.')],
    async live(session) {
      await session.send('Hi')
      await session.send('Book it')
      void session.rewind(session.messages.value[1]!.id)
      await until(() => undoBegan, 'the undo')
    },
    begins: 'Hi',
    rest: [],
    ends: 'Hello.',
  },
  'a conversation summed up': {
    agent: (script) => ({ ...looking(script), runtimeProfile: 'balanced', memory: { scope: 'user' } }),
    script: [
      call('look'),
      call('look'),
      call('look'),
      say('Three rooms.'),
      [say(JSON.stringify(summary)), usage({ input: 10, output: 2 })],
    ],
    async live(session) {
      await session.send('A room in Lisbon')
      await session.compact()
    },
    begins: 'A room in Lisbon',
    rest: [say('In Lisbon, as I said.')],
    answer: (session) => session.send('Where was that?'),
    ends: 'In Lisbon, as I said.',
  },
  'a note between two steps': {
    agent: (script) => ({ ...looking(script), reasoning: { reflection: { cadence: 'after_tool' } } }),
    script: [call('look'), say('Three are free: enough.'), say('Three rooms.')],
    live: async (session) => void (await session.send('A room in Lisbon')),
    begins: 'A room in Lisbon',
    rest: [say('The first.')],
    answer: (session) => session.send('Which one?'),
    ends: 'The first.',
  },
  'the word given to another agent': {
    agent(script) {
      const { model } = plain(script)
      return { model, tools: [asHandoff(defineAgent({ name: 'billing', model, tools: [look, asHandoff('tester')] }))] }
    },
    script: [call('handoff_to_billing', { reason: 'an invoice' }), say('Billing here.')],
    live: async (session) => void (await session.send('My invoice')),
    begins: 'My invoice',
    rest: [call('look'), say('Number seven.')],
    answer: (session) => session.send('The last one'),
    ends: 'Number seven.',
  },
  'an import': {
    agent: (script) => ({ ...plain(script), useTodoList: true }),
    script: [
      call('manage_todo_list', { operation: 'write', todoList: [{ id: 1, title: 'Look', status: 'in-progress' }] }),
      say('I will look.'),
    ],
    async live(session, tab) {
      await session.send('A room in Lisbon')
      const copy = await tab.client.import(session.agent, await session.snapshot({ tag: 'moved' }))
      return copy.id
    },
    begins: 'A room in Lisbon',
    rest: [say('Found one.')],
    answer: (session) => session.send('And?'),
    ends: 'Found one.',
  },
}
