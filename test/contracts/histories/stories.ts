/** Sessions worth keeping as a version left them: how each came to be, and what it must come to when a later version goes on. */
import { asTool, defineAgent, type SmartAgentOptions } from '@dogear/core'
import { call, forever, pause, say, scriptedModel, think, usage, type Script } from '@dogear/testing'
import type { Session } from '@dogear/worker'
import { until, type Tab } from '../device.ts'

export interface Story {
  /** The agent, answering from this script. */
  agent(script: Script): SmartAgentOptions
  readonly script: Script
  /** Leaves the session as it is to be kept. */
  live(session: Session, tab: Tab): Promise<void>
  /** What the model still has to say. */
  readonly rest: Script
  /** What a person does first; without it the session goes on by itself. */
  answer?(session: Session): unknown
  /** The last words, once it has come to rest. */
  readonly ends: string
}

const spent = usage({ input: 120, output: 40, total: 160, cachedInput: 0, reasoning: 8 })

const plain = (script: Script): SmartAgentOptions => ({ model: scriptedModel(script, { resumable: true }) })

const book = {
  name: 'book_hotel',
  label: 'Book a room',
  description: 'Books a room',
  parameters: {
    type: 'object',
    properties: { hotel: { type: 'string' }, nights: { type: 'integer', minimum: 1 } },
    required: ['hotel', 'nights'],
  },
  func: ({ hotel, nights }: { hotel: string; nights: number }) => `${nights} nights at ${hotel}`,
} as const

const booking = call('book_hotel', { hotel: 'Casa do Rio', nights: 3 })

/** Until what is kept of an answer under way is written again. */
const aWhile = () => new Promise((resolve) => setTimeout(resolve, 1100))

export const stories: Readonly<Record<string, Story>> = {
  'a finished turn': {
    agent: plain,
    script: [[think('Easy.'), say('Three nights, ', 'then.'), spent]],
    live: async (session) => void (await session.send('Three nights in Lisbon')),
    rest: [say('Four it is.')],
    answer: (session) => session.send('Four, please'),
    ends: 'Four it is.',
  },
  'an answer cut in the middle': {
    agent: plain,
    script: () => [say('One, '), pause(aWhile()), say('two, '), forever],
    async live(session) {
      session.send('Count to three')
      await until(() => session.partial.value?.text === 'One, two, ', 'the first words')
    },
    rest: [say('One, two, three.')],
    ends: 'One, two, three.',
  },
  'an approval that waits': {
    agent: (script) => ({ ...plain(script), tools: [{ ...book, needsApproval: true }] }),
    script: [[say('Shall I?'), booking]],
    live: async (session) => void (await session.send('Book it')),
    rest: [say('Booked.')],
    answer: (session) => session.approve(session.requests.value[0]!.id),
    ends: 'Booked.',
  },
  'a question that waits': {
    agent: (script) => ({ ...plain(script), humanInTheLoop: { askUser: true } }),
    script: [
      call('ask_user_question', {
        questions: [{ question: 'Which area?', header: 'Area', options: [{ label: 'Alfama' }, { label: 'Belém' }] }],
      }),
    ],
    live: async (session) => void (await session.send('Find a hotel')),
    rest: [say('Alfama, then.')],
    answer: (session) => session.answer(session.requests.value[0]!.id, { 'Which area?': { values: ['Alfama'] } }),
    ends: 'Alfama, then.',
  },
  'a call whose outcome nobody knows': {
    agent: (script) => ({ ...plain(script), tools: [{ ...book, func: () => new Promise<never>(() => {}) }] }),
    script: [booking],
    async live(session) {
      session.send('Book it')
      await until(() => session.calls.value.some(({ intent }) => intent), 'the intent')
    },
    rest: [say('It was booked.')],
    async answer(session) {
      await until(() => session.requests.value.length > 0, 'the question what happened')
      await session.resolve(session.requests.value[0]!.id, { type: 'happened', result: 'LX-207' })
    },
    ends: 'It was booked.',
  },
  'a plan, and words that wait their turn': {
    agent: (script) => ({ ...plain(script), useTodoList: true }),
    script: [
      call('manage_todo_list', {
        operation: 'write',
        todoList: [
          { id: 1, title: 'Look', status: 'in-progress' },
          { id: 2, title: 'Book', status: 'not-started' },
        ],
      }),
      [say('Looking. '), forever],
    ],
    async live(session) {
      session.send('Plan a weekend')
      await until(() => session.partial.value?.text === 'Looking. ', 'the first words')
      await session.send('And a table for two').saved
      await until(() => session.queued.value.length === 1, 'the queue')
    },
    rest: [say('Looking. Found it.'), say('A table, too.')],
    ends: 'A table, too.',
  },
  'an agent at work for another': {
    agent: (script) => ({
      ...plain(script),
      tools: [
        asTool(
          defineAgent({
            name: 'booker',
            model: scriptedModel(({ messages }) => (messages.at(-1)?.role === 'tool' ? say('Left it.') : booking)),
            tools: [{ ...book, needsApproval: true }],
          }),
          { toolName: 'booker' },
        ),
      ],
    }),
    script: [call('booker', { input: 'Book it' })],
    live: async (session) => void (await session.send('Have it booked')),
    rest: [say('All done.')],
    answer: (session) => session.reject(session.requests.value[0]!.id, 'Too dear'),
    ends: 'All done.',
  },
}
