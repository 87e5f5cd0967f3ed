/** Any interleaving of tools, people, stops, failing disks and dying tabs: no call twice, none without its one result. */
import {
  asTool,
  defineAgent,
  DogearError,
  emptyHead,
  foldOf,
  pathOf,
  reduce,
  textOf,
  type Entry,
  type Message,
  type Model,
  type ModelEvent,
  type Store,
} from '@dogear/core'
import { openMemoryStore } from '@dogear/store'
import { call, say, scriptedModel, type Beat } from '@dogear/testing'
import type { Session } from '@dogear/worker'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { device, hastyClock, type Tab } from './device.ts'

test('[G1] [G2] [G3] [G4] [G7] whatever dies and whenever, each call has one effect at most and one result', async () => {
  await fc.assert(
    fc.asyncProperty(anyStory, async (story) => {
      const world = await lived(story)
      await audit(world)
    }),
    { numRuns: 150, endOnFailure: true },
  )
}, 120_000)

test.each(['die-before', 'die-after'] as const)(
  '[G3] [G7] nothing is twice and nothing undone when a tab does %s, at any one moment',
  async (type) => {
    for (let at = 1; at <= 50; at += 1) {
      const story: Story = {
        turns: [[['pay', 'book'], ['send', 'look'], ['scroll']]],
        lives: [[{ at, type }]],
        moods: ['approve'],
        resumable: true,
        twoTabs: false,
      }
      await audit(await lived(story)).catch((error: unknown) => {
        throw new Error(`${type} ${at}`, { cause: error })
      })
    }
  },
)

test.each(['die-before', 'die-after'] as const)(
  '[C55] [C57] agents that work for others go on where they were when a tab does %s, at any one moment',
  async (type) => {
    for (let at = 1; at <= 70; at += 1) {
      const story: Story = {
        turns: [
          [
            ['helper', 'book'],
            ['manager', 'helper'],
          ],
        ],
        lives: [[{ at, type }]],
        moods: ['approve'],
        resumable: true,
        twoTabs: false,
      }
      await audit(await lived(story)).catch((error: unknown) => {
        throw new Error(`${type} ${at}`, { cause: error })
      })
    }
  },
  60_000,
)

const ownTools = ['pay', 'book', 'look', 'send', 'scroll', 'break', 'ask_user_question', 'manage_todo_list'] as const
/** `helper` is an agent with the same tools, `manager` one that has a helper. */
const toolNames = [...ownTools, 'helper', 'manager'] as const
type ToolName = (typeof toolNames)[number]

/** What an agent does with the task it is given. */
const tasks: Readonly<Record<string, readonly (readonly ToolName[])[]>> = {
  help: [
    ['pay', 'book'],
    ['ask_user_question', 'look'],
  ],
  manage: [['helper', 'send'], ['helper']],
}

/** One thing that goes wrong, at the n-th time a tab asks its disk for something. */
interface Fault {
  readonly at: number
  readonly type: 'die-before' | 'die-after' | 'fail-before' | 'fail-after'
}

interface Story {
  /** The calls of each step, the turns one after another. */
  readonly turns: readonly (readonly (readonly ToolName[])[])[]
  /** What goes wrong in each tab's life; the last one lives. */
  readonly lives: readonly (readonly Fault[])[]
  /** What the person does when something waits for them, in turn. */
  readonly moods: readonly ('approve' | 'edit' | 'reject' | 'stop')[]
  readonly resumable: boolean
  readonly twoTabs: boolean
}

const anyStory: fc.Arbitrary<Story> = fc.record({
  turns: fc.array(fc.array(fc.array(fc.constantFrom(...toolNames), { maxLength: 3 }), { maxLength: 3 }), {
    minLength: 1,
    maxLength: 2,
  }),
  lives: fc.array(
    fc.array(
      fc.record<Fault>({
        at: fc.integer({ min: 1, max: 40 }),
        type: fc.constantFrom('die-before', 'die-after', 'fail-before', 'fail-after'),
      }),
      { minLength: 1, maxLength: 2 },
    ),
    { maxLength: 5 },
  ),
  moods: fc.array(fc.constantFrom('approve', 'approve', 'edit', 'reject', 'stop'), { minLength: 1, maxLength: 6 }),
  resumable: fc.boolean(),
  twoTabs: fc.boolean(),
})

/** What is true outside of any tab: what happened, what was promised, and what the model was sent. */
interface World {
  readonly store: Store
  readonly effects: Map<string, number>
  readonly saved: Set<string>
  readonly requests: readonly { readonly messages: readonly Message[] }[]
  readonly open: () => Promise<Session>
}

async function lived(story: Story): Promise<World> {
  const store = openMemoryStore()
  // A tab that takes over from one that lives lets a few seconds pass.
  const here = device(store, { clock: hastyClock(20) })
  const effects = new Map<string, number>()
  const saved = new Set<string>()
  const model = scriptedModel(({ messages }) => answerTo(story, messages), { resumable: story.resumable })
  const lives = [...story.lives]
  let moods = 0

  /** A tab that dies as planned, and a promise of its death. */
  function bornTab() {
    const faults = lives.shift() ?? []
    let isDead = false
    let die = () => {}
    const death = new Promise<'dead'>((resolve) => (die = () => resolve('dead')))
    const tab: Tab = here.tab(
      { model, tools: toolsOf(effects, () => isDead, model), useTodoList: true, humanInTheLoop: { askUser: true } },
      faultyDisk(store, faults, () => {
        isDead = true
        tab.kill()
        die()
      }),
    )
    return { tab, death, isDead: () => isDead }
  }

  async function life(words: string): Promise<'dead' | 'done'> {
    const { tab, death, isDead } = bornTab()
    const bystander = story.twoTabs
      ? here.tab({ model, tools: toolsOf(effects, () => false, model), useTodoList: true })
      : null
    try {
      const session = await Promise.race([tab.open().catch(() => 'dead' as const), death])
      if (session === 'dead') return 'dead'
      await bystander?.open()
      return await Promise.race([death, person(session, words, isDead)])
    } finally {
      tab.kill()
      bystander?.kill()
    }
  }

  /** Sends what is not there yet or was held back, answers what is asked, tries again what failed, until the session rests. */
  async function person(session: Session, words: string, isGone: () => boolean): Promise<'done'> {
    const beganAt = performance.now()
    await sayOnce(session, words)
    for (let ticks = 0, rested = 0; !isGone(); ticks += 1) {
      await tick()
      if (performance.now() - beganAt > patience) throw new Error(`stuck: ${JSON.stringify(stateOf(session))}`)
      const [request] = session.requests.value
      const [held] = session.status.value === 'idle' ? session.queued.value : []
      // A stop has held it back; more often than not it is about to begin by itself.
      if (held && ticks % 50 === 0) void session.editQueued(held.commandId, { when: 'now' })
      if (session.connection.value.type === 'failed') {
        session.resume()
        await sayOnce(session, words)
      } else if (session.status.value === 'paused' && request) {
        const mood = story.moods[(moods += 1) % story.moods.length]
        await told(
          mood === 'stop' ? session.stop() : decide(session, request, mood, effects),
          `${mood} ${request.kind}`,
        )
      }
      // For a while: what the page shows may lag behind what is written.
      rested = (await hasRested(session)) ? rested + 1 : 0
      if (rested <= 5) continue
      if (await isWritten(words)) return 'done'
      // A disk that failed once has refused them, and said so.
      await sayOnce(session, words)
      rested = 0
    }
    return new Promise(() => {})
  }

  async function sayOnce(session: Session, words: string): Promise<void> {
    if (isKnown(session, words)) return
    if (await told(session.send(words).saved, 'send')) saved.add(words)
  }

  async function hasRested({ status, queued, connection }: Session): Promise<boolean> {
    if (status.value !== 'idle' || queued.value.length || connection.value.type !== 'online') return false
    return !(await store.inbox('s1')).length
  }

  async function isWritten(words: string): Promise<boolean> {
    const entries = await store.entries('s1', 0)
    return entries.some((entry) => entry.type === 'message-add' && textOf(entry.message) === words)
  }

  for (const [index] of story.turns.entries()) {
    while ((await life(`turn ${index}`)) === 'dead') await tick()
  }
  const open = () => here.tab({ model, tools: toolsOf(effects, () => false, model), useTodoList: true }).open()
  return { store, effects, saved, requests: model.requests, open }
}

/** A session that has not come to rest after so many milliseconds never will. */
const patience = 10_000
/** Turns of the event loop a command is given to be saved in. */
const mostTicks = 20_000

function stateOf({ status, waiting, connection, calls, requests, queued }: Session) {
  return [status, waiting, connection, calls, requests, queued].map((signal) => signal.value)
}

/** Whether it was saved. That it is neither saved nor refused must not happen. */
async function told(saved: Promise<void>, what: string): Promise<boolean> {
  let isWaiting = true
  const limit = (async () => {
    for (let ticks = 0; isWaiting && ticks < mostTicks; ticks += 1) await tick()
    if (isWaiting) throw new Error(`neither saved nor refused: ${what}`)
    return false
  })()
  const answer = saved.then(
    () => true,
    () => false,
  )
  return Promise.race([answer, limit]).finally(() => (isWaiting = false))
}

function isKnown(session: Session, words: string): boolean {
  return [...session.messages.value, ...session.pending.value].some((message) => textOf(message) === words)
}

async function decide(
  session: Session,
  request: Session['requests']['value'][number],
  mood: string | undefined,
  effects: Map<string, number>,
) {
  const { id, kind, callId } = request
  // An honest person looks at their bank account before they say whether it happened.
  if (kind === 'outcome') return session.resolve(id, { type: effects.has(callId) ? 'happened' : 'retry' }).saved
  if (kind === 'question' && mood === 'reject') return session.resolve(id, { type: 'cancel' }).saved
  if (kind === 'question') return session.answer(id, [{ values: ['Yes'] }]).saved
  if (mood === 'reject') return session.reject(id, 'not today').saved
  return session.approve(id, mood === 'edit' ? { args: { edited: true } } : {}).saved
}

/** The next step of the turn that the last user message began, read off the transcript alone. */
function answerTo({ turns }: Story, messages: readonly Message[]): Beat[] {
  expectValid(messages)
  const begin = messages.findLastIndex(({ role, id }) => role === 'user' && id !== 'limit')
  const words = textOf(messages[begin]!)
  const turn = tasks[words] ?? turns[Number(/\d+/.exec(words)?.[0])] ?? []
  const step = messages.slice(begin).filter((message) => message.tool_calls).length
  const calls = turn[step] ?? []
  return [...say('Let', ' me', ' see.'), ...calls.map((name) => call(name, argsFor(name)))]
}

function argsFor(name: ToolName): object {
  if (name === 'ask_user_question')
    return { questions: [{ question: 'Sure?', options: [{ label: 'Yes' }, { label: 'No' }] }] }
  if (name === 'helper') return { input: 'help' }
  if (name === 'manager') return { input: 'manage' }
  if (name === 'manage_todo_list') return { operation: 'write', todoList: [{ id: 1, step: 'Look' }] }
  return {}
}

function toolsOf(effects: Map<string, number>, isDead: () => boolean, model: Model) {
  const own = ownToolsOf(effects, isDead)
  const humanInTheLoop = { askUser: true }
  const helper = asTool(defineAgent({ name: 'helper', model, tools: own, humanInTheLoop }))
  const manager = asTool(defineAgent({ name: 'manager', model, tools: [...own, helper], humanInTheLoop }))
  return [...own, helper, manager]
}

function ownToolsOf(effects: Map<string, number>, isDead: () => boolean) {
  const act = async (_args: unknown, { callId }: { callId: string }) => {
    await tick()
    // A dead page does nothing any more.
    if (isDead()) await new Promise(() => {})
    effects.set(callId, (effects.get(callId) ?? 0) + 1)
    await tick()
    return 'done'
  }
  return [
    { name: 'pay', func: act },
    { name: 'book', needsApproval: true, func: act },
    { name: 'look', effect: 'read' as const, func: () => 'seen' },
    {
      name: 'send',
      effect: 'verify' as const,
      func: act,
      check: async (key: string) => ({ done: effects.has(key.replace('s1:', '')), result: 'done' }),
    },
    { name: 'scroll', effect: 'page' as const, func: act },
    {
      name: 'break',
      func: async () => {
        await tick()
        throw new Error('broken')
      },
    },
  ]
}

function faultyDisk(store: Store, faults: readonly Fault[], die: () => void): Store {
  let asked = 0
  return new Proxy(store, {
    get(target, key: keyof Store) {
      const method = target[key] as (...args: unknown[]) => unknown
      return async (...args: unknown[]) => {
        asked += 1
        const fault = faults.find(({ at }) => at === asked)?.type
        if (fault === 'die-before') return (die(), new Promise(() => {}))
        if (fault === 'fail-before') throw new DogearError('storage-failed', 'The disk is full.')
        const value = await method.apply(target, args)
        if (fault === 'die-after') return (die(), new Promise(() => {}))
        if (fault === 'fail-after') throw new DogearError('storage-failed', 'The disk was full.')
        return value
      }
    },
  })
}

async function audit({ store, effects, saved, requests, open }: World): Promise<void> {
  const entries = await store.entries('s1', 0)
  expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, index) => index))
  for (const count of effects.values()) expect(count).toBe(1)
  expectOneResultEach(entries, effects)
  for (const { messages } of requests) expectValid(messages)
  expect(await store.inbox('s1')).toEqual([])

  const fold = foldOf(emptyHead('s1', 'tester'))
  for (const entry of entries) reduce(fold, entry)
  expect(fold.head.children).toEqual({})
  const messages = pathOf(fold).map((node) => fold.bodies.get(node.id))
  for (const words of saved) expect(messages.some((message) => message && textOf(message) === words)).toBe(true)
  const session = await open()
  expect(session.status.value).toBe('idle')
  expect(session.messages.value).toEqual(messages.slice(-50))
  expect(session.plan.value).toEqual(fold.head.plan)
  expect(session.usage.value).toEqual(fold.head.usage)
  expect(session.queued.value).toEqual(fold.head.queue)
  expect(session.title.value).toEqual(fold.head.title)
  expect(session.lastEnd.value).toEqual(fold.head.lastEnd)
  session.close()
}

function expectOneResultEach(entries: readonly Entry[], effects: Map<string, number>): void {
  const asked = entries.flatMap((entry) => (entry.type === 'call-request' ? [entry.call] : []))
  const results = entries.flatMap((entry) => (entry.type === 'tool-result' ? [entry] : []))
  expect(results.map(({ callId }) => callId).toSorted()).toEqual(asked.map(({ callId }) => callId).toSorted())
  for (const { callId, result } of results) {
    if (result.status === 'rejected') expect(effects.has(callId)).toBe(false)
    if (result.status === 'complete' && ['pay', 'book', 'send', 'scroll'].includes(result.tool)) {
      expect(effects.get(callId)).toBe(1)
    }
  }
}

/** As a provider would check it: every call followed by exactly its result, in order, and nothing empty. */
function expectValid(messages: readonly Message[]): void {
  for (let index = 0; index < messages.length; index += 1) {
    const { role, tool_calls: calls, content } = messages[index]!
    expect(role === 'system').toBe(index === 0 && role === 'system')
    expect(role === 'tool').toBe(false)
    expect(Boolean(content?.length || calls?.length)).toBe(true)
    for (const { id } of calls ?? []) expect(messages[(index += 1)]).toMatchObject({ role: 'tool', tool_call_id: id })
  }
  expect(messages.at(-1)?.role).not.toBe('assistant')
}

async function tick(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
}

test('[G8] words beyond their cursor are not said twice when a cut stream is re-attached', async () => {
  const events: ModelEvent[] = [
    { type: 'text-delta', text: 'one' },
    { type: 'cursor', after: '1' },
    { type: 'text-delta', text: ' two' },
    { type: 'cursor', after: '2' },
    { type: 'finish', reason: 'stop' },
  ]
  let isCut = false
  const model: Model = {
    async *stream(_request, { after }) {
      for (const event of events.slice(Number(after ?? 0) * 2)) {
        const breaksHere = event.type === 'cursor' && event.after === '2' && !isCut
        isCut ||= breaksHere
        if (breaksHere) throw new DogearError('stream-cut', 'The stream was cut.')
        yield event
      }
    },
  }
  const session = await device().tab({ model }).open()
  expect((await session.send('count')).text).toBe('one two')
})
