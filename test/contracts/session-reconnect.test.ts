/** What a person does while the server cannot be reached gives, once it can, what it would have given all along. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { textOf, type SmartAgentOptions } from '@dogear/core'
import { createOpenAIModel } from '@dogear/models'
import { createProxy, type Provider } from '@dogear/proxy'
import { toNodeListener } from '@dogear/proxy/node'
import type { Session } from '@dogear/worker'
import { describe, expect, onTestFinished, test } from 'vitest'
import { device, hastyClock, until, type Device } from './device.ts'
import { normalJournal } from './normal-journal.ts'

interface Story {
  /** What the person says first. */
  readonly words: string
  /** Where the server is lost: when the turn waits for the person, or before the first words are sent. */
  readonly lostWhen: 'asked' | 'before'
  act(session: Session): Promise<unknown>
}

const asked = (session: Session) => session.requests.value[0]!.id

const stories: Record<string, Story> = {
  'an approval': { words: 'book', lostWhen: 'asked', act: (session) => session.approve(asked(session)).saved },
  'an approval of other arguments': {
    words: 'book',
    lostWhen: 'asked',
    act: (session) => session.approve(asked(session), { args: { nights: 4 } }).saved,
  },
  'a refusal with its reason': {
    words: 'book',
    lostWhen: 'asked',
    act: (session) => session.reject(asked(session), 'Too dear.').saved,
  },
  'an answer': {
    words: 'ask me',
    lostWhen: 'asked',
    act: (session) => session.answer(asked(session), [{ values: ['River'] }]).saved,
  },
  'a plan edited, then an approval': {
    words: 'book',
    lostWhen: 'asked',
    async act(session) {
      await session.editPlan({ operation: 'write', todoList: [{ id: 1, step: 'Pack', status: 'in-progress' }] }).saved
      await session.editPlan({ operation: 'update', todoList: [{ id: 1, status: 'completed' }] }).saved
      await session.approve(asked(session)).saved
    },
  },
  'a plan edited while the turn waits': {
    words: 'hello',
    lostWhen: 'before',
    act: (session) =>
      session.editPlan({ operation: 'write', todoList: [{ id: 1, step: 'Pack', status: 'not-started' }] }).saved,
  },
  'words for later, edited, taken back and put forward': {
    words: 'hello',
    lostWhen: 'before',
    async act(session) {
      const sent = ['one', 'two', 'three'].map((words) => session.send(words))
      await Promise.all(sent.map((turn) => turn.saved))
      await session.editQueued(sent[0]!.id, { content: 'one, better' }).saved
      await session.unqueue(sent[1]!.id)
      await session.editQueued(sent[2]!.id, { when: 'next' }).saved
    },
  },
  'words for the next step, then an approval': {
    words: 'book',
    lostWhen: 'asked',
    async act(session) {
      await session.send('only by the river', { when: 'next' }).saved
      await session.send('and then?').saved
      await session.approve(asked(session)).saved
    },
  },
  'words for now': {
    words: 'hello',
    lostWhen: 'before',
    async act(session) {
      await session.send('no, this', { when: 'now' }).saved
      await until(() => session.pending.value.map(textOf).includes('no, this'), 'they are heard')
    },
  },
}

/** How the server is lost and found again. */
interface Loss {
  /** Why a fetch fails; absent where the server itself is down. */
  readonly cause?: string
  lose(here: Device): void
  find(here: Device): void
}

const nothing = () => {}
const losses: Record<string, Loss> = {
  'the browser is offline': {
    cause: 'ERR_INTERNET_DISCONNECTED',
    lose: ({ network }) => network.goOffline(),
    find: ({ network }) => network.goOnline(),
  },
  'the server is down': { lose: nothing, find: nothing },
  'its name is not found': { cause: 'ENOTFOUND', lose: nothing, find: nothing },
  'the browser says online, and is not': {
    cause: 'ERR_NETWORK_CHANGED',
    lose: ({ network }) => network.goOffline(),
    find: nothing,
  },
}

describe.each(Object.entries(stories))('[G7] [G9] [X4] %s', (_, story) => {
  test.each(Object.entries(losses))('while %s', async (_name, loss) => {
    const undisturbed = await live(story)
    for (const reloads of ['never', 'before', 'after'] as const) {
      const { lived, states } = await live(story, { loss, reloads })
      expect({ reloads, lived }).toEqual({ reloads, lived: undisturbed.lived })
      expect({ reloads, states }).toEqual({ reloads, states: ['network', null] })
    }
  })
})

interface Disturbance {
  readonly loss: Loss
  /** Whether the page is reloaded while the server is lost, and when. */
  readonly reloads: 'never' | 'before' | 'after'
}

/** The story as it was lived: undisturbed, the model only thinks for long where otherwise it cannot be reached. */
async function live(story: Story, disturbance?: Disturbance) {
  const here = device(undefined, { clock: hastyClock(20) })
  const server = await openServer()
  const ran: unknown[] = []
  let isLost = false
  const reach: typeof fetch = (url, init) => {
    const cause = isLost ? disturbance?.loss.cause : undefined
    if (cause !== undefined) return Promise.reject(new TypeError('Failed to fetch', { cause: { code: cause } }))
    return fetch(url, init)
  }
  const options: SmartAgentOptions = {
    model: createOpenAIModel({ endpoint: server.url, clock: hastyClock(20), fetch: reach }),
    tools: [{ name: 'book', needsApproval: true, func: (args) => (ran.push(args), 'room 7') }],
    useTodoList: true,
    humanInTheLoop: { askUser: true },
  }
  let tab = here.tab(options)
  let session = await tab.open()
  const isAsked = () => session.requests.value.length > 0

  async function lose(): Promise<void> {
    if (!disturbance) return server.think(true)
    isLost = true
    disturbance.loss.lose(here)
    if (disturbance.loss.cause === undefined) await server.close()
  }
  async function find(): Promise<void> {
    if (!disturbance) return server.think(false)
    isLost = false
    if (disturbance.loss.cause === undefined) await server.open()
    disturbance.loss.find(here)
  }
  const lastWords = () => session.pending.value.map(textOf).at(-1) ?? ''
  const isHeld = () =>
    isAsked() || (disturbance ? session.waiting.value === 'network' : server.isThinkingOf(lastWords()))
  async function reload(): Promise<void> {
    await until(isHeld, 'the turn waits')
    tab.kill()
    tab = here.tab(options)
    session = await tab.open()
  }

  if (story.lostWhen === 'before') await lose()
  void session.send(story.words)
  await until(story.lostWhen === 'before' ? isHeld : isAsked, 'the turn waits')
  if (story.lostWhen === 'asked') await lose()
  if (disturbance?.reloads === 'before') await reload()
  await story.act(session)
  await until(() => !isAsked() && isHeld(), 'the turn waits for its model')
  if (disturbance?.reloads === 'after') await reload()
  await until(() => !isAsked() && isHeld(), 'the turn waits for its model')
  const states: unknown[] = []
  session.waiting.subscribe((reason) => states.push(reason))
  // A hint that lies is tried, and changes nothing that is shown.
  if (disturbance) for (let lies = 0; lies < 3; lies += 1) here.network.goOnline()
  await new Promise((resolve) => setTimeout(resolve, 10))
  await find()
  await until(() => session.status.value === 'idle' && !session.queued.value.length, 'the story ends')
  const words = session.messages.value.map((message) => [message.role, textOf(message), message.meta.status])
  const journal = normalJournal(await here.store.entries('s1', 0))
  tab.kill()
  await server.close()
  const lived = { words, journal, ran, plan: session.plan.value?.steps, answered: server.answered }
  return { lived: renumbered(lived), states }
}

/** A page that was reloaded has minted an id more: the first id found is `#0`, the next `#1`. */
function renumbered<T>(lived: T): T {
  const ids: string[] = []
  const text = JSON.stringify(lived).replace(/\bid\d+/g, (id) => {
    if (!ids.includes(id)) ids.push(id)
    return `#${ids.indexOf(id)}`
  })
  return JSON.parse(text) as T
}

/** Our proxy on loopback before a model that answers by what was said last, and tells what it has answered. */
async function openServer() {
  const answered: unknown[] = []
  let thinking = Promise.resolve()
  let stopThinking = nothing
  const thinkingOf = new Set<Asked>()
  const provider: Provider = {
    async stream(request, signal) {
      thinkingOf.add(request.messages)
      await Promise.race([thinking, new Promise((resolve) => signal.addEventListener('abort', resolve))])
      thinkingOf.delete(request.messages)
      signal.throwIfAborted()
      answered.push(request.messages)
      return chunksOf(answerTo(request.messages))
    },
    complete: () => Promise.reject(new Error('These tests stream.')),
  }
  const listener = toNodeListener(createProxy({ models: { default: { provider, model: 'm' } } }))
  let server = createServer(listener)
  let port = 0

  async function open(): Promise<void> {
    server = createServer(listener)
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
    port = (server.address() as AddressInfo).port
  }
  function close(): Promise<void> {
    server.closeAllConnections()
    return new Promise((resolve) => void server.close(() => resolve()))
  }
  await open()
  onTestFinished(() => void close())
  return {
    url: `http://127.0.0.1:${port}`,
    answered,
    open,
    close,
    /** Whether it thinks about this, and nothing else any more. */
    isThinkingOf: (words: string) =>
      [...thinkingOf].every((messages) => messages.at(-1)?.content === words) && thinkingOf.size === 1,
    think(isLong: boolean) {
      stopThinking()
      if (isLong) thinking = new Promise((resolve) => (stopThinking = resolve))
    },
  }
}

type Asked = Parameters<Provider['stream']>[0]['messages']

function answerTo(messages: Asked): object {
  const last = messages.at(-1)!
  if (last.role === 'user' && last.content === 'book') return called('book', { nights: 3 })
  const question = { question: 'Which area?', header: 'Area', options: [{ label: 'River' }, { label: 'Hills' }] }
  if (last.role === 'user' && last.content === 'ask me') return called('ask_user_question', { questions: [question] })
  return { content: `Answer to: ${JSON.stringify(last.content)}` }
}

function called(name: string, args: object): object {
  return { tool_calls: [{ index: 0, id: 'c1', function: { name, arguments: JSON.stringify(args) } }] }
}

async function* chunksOf(delta: object): AsyncGenerator<object> {
  yield { choices: [{ index: 0, delta, finish_reason: null }] }
  yield { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' in delta ? 'tool_calls' : 'stop' }] }
}
