/** Sessions that a version left in the middle of something, and all the others. */
import { asTool, defineAgent } from '@dogear/core'
import { call, forever, pause, say, scriptedModel, think, usage } from '@dogear/testing'
import { until } from '../device.ts'
import { decidedStories } from './decided-stories.ts'
import { movedStories } from './moved-stories.ts'
import { book, booking, plain, type Story } from './story.ts'

const spent = usage({ input: 120, output: 40, total: 160, cachedInput: 0, reasoning: 8 })

/** Until what is kept of an answer under way is written again. */
const aWhile = () => new Promise((resolve) => setTimeout(resolve, 1100))

export const stories: Readonly<Record<string, Story>> = {
  ...decidedStories,
  ...movedStories,
  'a finished turn': {
    agent: plain,
    script: [[think('Easy.'), say('Three nights, ', 'then.'), spent]],
    live: async (session) => void (await session.send('Three nights in Lisbon')),
    begins: 'Three nights in Lisbon',
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
    begins: 'Count to three',
    rest: [say('One, two, three.')],
    ends: 'One, two, three.',
  },
  'an approval that waits': {
    agent: (script) => ({ ...plain(script), tools: [{ ...book, needsApproval: true }] }),
    script: [[say('Shall I?'), booking]],
    live: async (session) => void (await session.send('Book it')),
    begins: 'Book it',
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
    begins: 'Find a hotel',
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
    begins: 'Book it',
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
    begins: 'Plan a weekend',
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
    begins: 'Have it booked',
    rest: [say('All done.')],
    answer: (session) => session.reject(session.requests.value[0]!.id, 'Too dear'),
    ends: 'All done.',
  },
}
