import { defineAgent, DogearError, emptyHead, type Entry } from '@dogear/core'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { ToHost, ToPage } from '../protocol.ts'
import { createClient, type HostWire } from './client.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
afterEach(() => void vi.useRealTimers())

const named = { name: 'tester', endpoint: 'http://localhost/api' }
const agent = defineAgent(named)

test('a host that cannot be started is said where the session is opened, and tried again the next time', async () => {
  const page = pageWith([refused, hostThatAnswers])
  await expect(page.client.open(agent)).rejects.toMatchObject({ code: 'worker-blocked' })
  expect((await page.client.open(agent)).connection.value).toEqual({ type: 'online' })
})

test('a host that answers its pings is left alone', async () => {
  const page = pageWith([hostThatAnswers])
  await page.client.open(agent)
  await page.pass(20)
  expect(page.hosts).toHaveLength(1)
  expect(page.warnings).toEqual([])
})

test('a page that has nothing open leaves its worker in peace, and looks after it again when it has', async () => {
  const page = pageWith([hostThatAnswers, hostThatAnswers])
  const session = await page.client.open(agent)
  session.close()
  page.hosts[0]!.fallSilent()
  await page.pass(20)
  expect(page.hosts).toHaveLength(1)
  void page.client.open(agent)
  await page.pass(5)
  expect(page.hosts).toHaveLength(2)
})

test('a silent host is replaced, its sessions attach to the next, and what was not saved is sent again', async () => {
  const page = pageWith([hostThatAnswers, hostThatAnswers])
  const session = await page.client.open(agent)
  page.hosts[0]!.fallSilent()
  const turn = session.send('hello')
  await page.pass(5)
  expect(page.warnings).toEqual([expect.stringContaining('Nothing is lost')])
  expect(page.hosts[0]!.isTerminated()).toBe(true)
  expect(session.connection.value).toEqual({ type: 'online' })
  expect(page.hosts[1]!.received('command')).toMatchObject([{ command: { commandId: turn.id, content: 'hello' } }])
})

test('[G16] each host of a page has a life of its own: what killed one is not excused when the page is left later', async () => {
  const page = pageWith([hostThatAnswers, hostThatAnswers])
  await page.client.open(agent)
  page.hosts[0]!.fallSilent()
  await page.pass(5)
  const lives = page.hosts.flatMap((host) =>
    host.received('open').map((message) => message.type === 'open' && message.life),
  )
  expect(new Set(lives).size).toBe(2)
})

test('[X11] a page brought back by the browser tells its host to look again', async () => {
  const heard: ((event: { persisted: boolean }) => void)[] = []
  vi.stubGlobal('addEventListener', (type: string, listener: (typeof heard)[0]) => {
    if (type === 'pageshow') heard.push(listener)
  })
  const page = pageWith([hostThatAnswers])
  await page.client.open(agent)
  for (const tell of heard) tell({ persisted: false })
  expect(page.hosts[0]!.received('restored')).toEqual([])
  for (const tell of heard) tell({ persisted: true })
  expect(page.hosts[0]!.received('restored')).toHaveLength(1)
  vi.unstubAllGlobals()
})

test('agents of one name that are open at once have handles of their own, and the next takes the place of one that was closed', async () => {
  const page = pageWith([() => hostThatOpens(['a', 'b', 'a', 'c'])])
  const [first, second, third] = ['one', 'two', 'three'].map((said) =>
    defineAgent({ ...named, instructions: () => said }),
  )
  const [a] = await Promise.all([page.client.open(first!), page.client.open(second!)])
  await page.client.open(first!)
  a.close()
  a.close()
  await page.client.open(third!)
  const places = page.hosts[0]!.received('open').map((message) => message.type === 'open' && message.agent.instructions)
  expect(places).toEqual([
    { handle: 'tester/instructions' },
    { handle: '1#tester/instructions' },
    { handle: 'tester/instructions' },
    { handle: 'tester/instructions' },
  ])
})

test('[G3] [G14] how old a call is, is told by the clocks of page and host as they have compared them, never by the time of day', async () => {
  const time = { page: 5_000 }
  const entered: string[] = []
  const pay = defineAgent({
    name: 'tester',
    endpoint: 'http://localhost/api',
    tools: [{ name: 'pay', func: (_args, { callId }) => void entered.push(callId) }],
  })
  // The host counts from a moment of its own, and heard the ping 400 ms after it was sent.
  const host = hostThatAnswers((sent) => ({ sent, heard: sent + 400 - 1_000_000 }))
  const page = pageWith([() => host], () => time.page)
  await page.client.open(pay)
  const call = (callId: string, id: number, proven: number) =>
    host.say({ type: 'call', id, handle: 'tester/tools/pay/func', args: [{}, { callId }], proven })
  time.page += 60_000
  call('fresh', 1, time.page - 2_500 - 1_000_000)
  call('stale', 2, time.page - 3_000 - 1_000_000)
  // What cannot be younger than it looks is taken for as old as it may be.
  call('doubtful', 3, time.page - 2_700 - 1_000_000)
  expect(entered).toEqual(['fresh'])
  expect(host.received('call-confirm')).toMatchObject([{ id: 2 }, { id: 3 }])
})

test('[G6] what is sent from a hidden page is not its person’s', async () => {
  const page = pageWith([hostThatAnswers])
  const session = await page.client.open(agent)
  session.send('one')
  vi.stubGlobal('document', { visibilityState: 'hidden' })
  session.send('two')
  vi.unstubAllGlobals()
  expect(page.hosts[0]!.received('command')).toMatchObject([{ isShown: true }, { isShown: false }])
})

test('words sent while there is no host wait for the one that knows the session', async () => {
  let start = () => {}
  const slow = () => new Promise<Host>((resolve) => (start = () => resolve(hostThatAnswers())))
  const page = pageWith([hostThatAnswers, slow])
  const session = await page.client.open(agent)
  page.hosts[0]!.fallSilent()
  await page.pass(5)
  expect(session.connection.value).toEqual({ type: 'connecting' })
  const turn = session.send('hello')
  start()
  await page.pass(0)
  const kinds = page.hosts[1]!.received().map(({ type }) => type)
  expect(kinds).toEqual(['open', 'command'])
  page.hosts[1]!.say({ type: 'saved', commandId: turn.id })
  await turn.saved
})

test('[G1] a session that the next host could not attach stays failed until it is tried again, and its words wait', async () => {
  const page = pageWith([hostThatAnswers, () => hostThatRefuses(1)])
  const session = await page.client.open(agent)
  page.hosts[0]!.fallSilent()
  await page.pass(5)
  // It drives the session all the same.
  page.hosts[1]!.say({ type: 'entries', sessionId: 's', entries: [words(3, 'unknown')] })
  expect(session.connection.value).toMatchObject({ type: 'failed' })
  expect(session.messages.value).toEqual([])
  const turn = session.send('hello')
  session.resume()
  await page.pass(1)
  expect(session.connection.value).toEqual({ type: 'online' })
  expect(page.hosts[1]!.received('command')).toMatchObject([{ command: { commandId: turn.id } }])
})

test('questions asked of a host that died are asked again, after the sessions they are about are open', async () => {
  const page = pageWith([hostThatAnswers, hostThatAnswers])
  const session = await page.client.open(agent)
  page.hosts[0]!.fallSilent()
  const snapshots = session.snapshots()
  await page.pass(5)
  expect(page.hosts[1]!.received().map(({ type }) => type)).toEqual(['open', 'ask'])
  expect(await snapshots).toEqual([])
})

test('when no other host can be started, sessions say so and nobody waits for ever', async () => {
  const page = pageWith([hostThatAnswers, refused])
  const session = await page.client.open(agent)
  page.hosts[0]!.fallSilent()
  const asking = session.snapshots().catch((error: unknown) => error)
  await page.pass(5)
  expect(session.connection.value).toMatchObject({ type: 'failed', error: { code: 'worker-blocked' } })
  expect(await asking).toMatchObject({ code: 'worker-blocked' })
})

test('[T18] what another tab deleted of one user is not taken for another user’s of the same id', async () => {
  const page = pageWith([hostThatAnswers])
  const session = await page.client.open({ ...agent, user: 'bob' })
  const turn = session.send('hello')
  page.hosts[0]!.say({ type: 'session-deleted', user: 'ann', sessionId: session.id })
  page.hosts[0]!.say({ type: 'saved', commandId: turn.id })
  await turn.saved
  page.hosts[0]!.say({ type: 'session-deleted', user: 'bob', sessionId: session.id })
  await expect(turn).rejects.toMatchObject({ code: 'session-missing' })
})

test('a session that could not be opened again is opened by resume', async () => {
  const page = pageWith([hostThatAnswers, refused, hostThatAnswers])
  const session = await page.client.open(agent)
  page.hosts[0]!.fallSilent()
  await page.pass(5)
  expect(session.connection.value).toMatchObject({ type: 'failed' })
  session.resume()
  await page.pass(0)
  expect(session.connection.value).toEqual({ type: 'online' })
})

test('entries that come twice, or late from a host that was given up, are folded once', async () => {
  const page = pageWith([hostThatAnswers, hostThatAnswers])
  const session = await page.client.open(agent)
  const said = { type: 'entries', sessionId: session.id, entries: [words(0, 'hello')] } as const
  page.hosts[0]!.say(said)
  page.hosts[0]!.say(said)
  expect(session.messages.value).toHaveLength(1)
  page.hosts[0]!.fallSilent()
  await page.pass(5)
  page.hosts[0]!.say({ ...said, entries: [words(1, 'ghost')] })
  expect(session.messages.value.map(({ content }) => content)).not.toContain('ghost')
})

interface Host extends HostWire {
  say(message: ToPage): void
  received(type?: ToHost['type']): ToHost[]
  fallSilent(): void
  isTerminated(): boolean
}

function pageWith(connects: readonly (() => Host | Promise<Host>)[], elapsed?: () => number) {
  const hosts: Host[] = []
  const warnings: string[] = []
  let ids = 0
  let starts = 0
  const client = createClient({
    connect: async () => {
      const host = await connects[starts++]!()
      hosts.push(host)
      return host
    },
    id: () => `id-${(ids += 1)}`,
    now: () => 0,
    elapsed,
    warn: (message) => warnings.push(message),
  })
  return {
    client,
    hosts,
    warnings,
    /** Seconds go by, and what they cause has happened. */
    async pass(seconds: number) {
      for (let second = 0; second <= seconds; second += 1) {
        if (second) vi.advanceTimersByTime(1000)
        for (let tick = 0; tick < 3; tick += 1) await new Promise((resolve) => setImmediate(resolve))
      }
    },
  }
}

function refused(): never {
  throw new DogearError('worker-blocked', 'The worker could not be started.')
}

function hostThatOpens(sessionIds: string[]): Host {
  return hostThatAnswers(undefined, () => sessionIds.shift()!)
}

/** A host that opens any session as a new one and has nothing to tell about it. */
function hostThatAnswers(answer: (sent: number) => object = () => ({}), nextId = () => 's'): Host {
  const messages: ToHost[] = []
  let receive: (message: ToPage) => void = () => {}
  let isSilent = false
  let isTerminated = false
  const say = (message: ToPage) => void queueMicrotask(() => receive(message))
  return {
    post(message) {
      if (message.type !== 'ping') messages.push(message)
      if (isSilent) return
      if (message.type === 'ping') say({ type: 'pong', ...answer(message.sent) })
      if (message.type === 'ask') say({ type: 'answer', ref: message.ref, answer: [] })
      if (message.type !== 'open') return
      const sessionId = nextId()
      const head = emptyHead(sessionId, 'tester')
      const empty = { head, bodies: [], partial: null, waiting: null, kept: true, failure: null }
      say({ type: 'attached', ref: message.ref, sessionId, ...empty })
    },
    listen: (listener) => (receive = listener),
    terminate: () => (isTerminated = true),
    say: (message) => receive(message),
    received: (type) => messages.filter((message) => type === undefined || message.type === type),
    fallSilent: () => (isSilent = true),
    isTerminated: () => isTerminated,
  }
}

/** So often it cannot open a session. */
function hostThatRefuses(times: number): Host {
  const host = hostThatAnswers()
  let left = times
  return {
    ...host,
    post(message) {
      if (message.type !== 'open' || (left -= 1) < 0) return host.post(message)
      const error = { code: 'storage-blocked', message: 'No.' } as const
      queueMicrotask(() => host.say({ type: 'refusal', ref: message.ref, error }))
    },
  }
}

function words(seq: number, content: string): Entry {
  const message = { id: content, role: 'user' as const, content, meta: { status: 'complete' as const, createdAt: 0 } }
  return { v: 1, seq, id: `1.${seq}`, at: 0, epoch: 1, path: [], type: 'message-add', message, parent: null }
}
