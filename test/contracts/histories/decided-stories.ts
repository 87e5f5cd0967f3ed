/** Sessions in which somebody decided: a person for good, a second person too late, a rule of the developer, a call nobody heard of. */
import type { SmartAgentOptions, Store } from '@dogear/core'
import { call, say, type Script } from '@dogear/testing'
import { until } from '../device.ts'
import { book, booking, plain, type Story } from './story.ts'

const asking = (script: Script): SmartAgentOptions => ({
  ...plain(script),
  tools: [{ ...book, needsApproval: true, alwaysBy: ['hotel'] }],
})

const another = call('book_hotel', { hotel: 'Sol', nights: 2 })

let finish: (() => void) | undefined

const slow = (script: Script): SmartAgentOptions => ({
  ...plain(script),
  tools: [{ ...book, func: () => new Promise<string>((resolve) => (finish = () => resolve('LX-207'))) }],
})

export const decidedStories: Readonly<Record<string, Story>> = {
  'calls that are allowed for good': {
    agent: asking,
    script: [booking, say('Booked.'), another, say('Booked, too.')],
    async live(session) {
      const [here] = (await session.send('Book it')).requests
      await session.approve(here!.id, { always: 'session' })
      const [anywhere] = (await session.send('And the Sol')).requests
      await session.approve(anywhere!.id, { always: 'user' })
    },
    begins: 'Book it',
    rest: [[booking, another], say('Both again.')],
    answer: (session) => session.send('The same next year'),
    ends: 'Both again.',
  },
  'an answer that came second': {
    agent: asking,
    script: [booking, say('Not booked.')],
    async live(session) {
      const [request] = (await session.send('Book it')).requests
      await Promise.all([session.reject(request!.id, 'Too dear'), session.approve(request!.id)])
    },
    begins: 'Book it',
    rest: [say('The Sol is cheaper.')],
    answer: (session) => session.send('What else?'),
    ends: 'The Sol is cheaper.',
  },
  'an answer that a guardrail replaced': {
    agent: (script) => ({
      ...plain(script),
      guardrails: {
        response: [
          {
            name: 'no codes',
            check: ({ text }) =>
              text.includes('4711')
                ? { disposition: 'block', reason: 'A code.', replacement: 'I cannot say.' }
                : undefined,
          },
        ],
      },
    }),
    script: [say('The code is 4711.')],
    live: async (session) => void (await session.send('The code?')),
    begins: 'The code?',
    rest: [say('Gladly.')],
    answer: (session) => session.send('A joke, then'),
    ends: 'Gladly.',
  },
  'a result that came when the session was another’s': {
    agent: slow,
    script: [],
    async live(_session, _tab, here) {
      const { store } = here
      let isKept = false
      const disk: Store = {
        ...store,
        async saveSide(kind, ...side) {
          await store.saveSide(kind, ...side)
          // Alive, the tab would take its session back and use what it kept.
          if (kind === 'evidence') tab.kill()
          isKept ||= kind === 'evidence'
        },
      }
      const tab = here.tab(slow([booking]), disk)
      const session = await tab.open('s2')
      session.send('Book it')
      await until(() => finish !== undefined, 'the call')
      await store.acquire('s2', { agent: 'tester', at: 0 })
      finish!()
      await until(() => isKept, 'the evidence')
      return 's2'
    },
    begins: 'Book it',
    rest: [say('It was booked.')],
    ends: 'It was booked.',
  },
}
