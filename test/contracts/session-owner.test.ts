/** Which tab drives: the one its person uses, never two, and never one that no longer answers. */
import { textOf, type Entry, type Lock, type Store } from '@dogear/core'
import { openMemoryStore } from '@dogear/store'
import { call, fakeClock, forever, memoryLock, pause, say, scriptedModel } from '@dogear/testing'
import type { Session } from '@dogear/worker'
import { expect, test } from 'vitest'
import { device, hastyClock, until, type Device } from './device.ts'

/** What streams is shown once a frame. */
const frame = 16

/** A tab whose answers say which tab drove. */
function tabNamed(here: Device, name: string, disk?: Store) {
  return here.tab({ model: scriptedModel(() => say(name)) }, disk)
}

test('[G6] the tab whose person writes drives from then on, also when it is not the next in line', async () => {
  const here = device()
  const first = await tabNamed(here, 'first').open()
  await tabNamed(here, 'second').open()
  const third = await tabNamed(here, 'third').open()
  expect(await first.send('one')).toMatchObject({ text: 'first' })
  expect(await third.send('two')).toMatchObject({ text: 'third' })
  expect(await third.send('three')).toMatchObject({ text: 'third' })
  expect(await first.send('four')).toMatchObject({ text: 'first' })
})

test('[G6] words written while another tab works are that tab’s to answer', async () => {
  const here = device()
  let go = () => {}
  const held = new Promise<void>((resolve) => (go = resolve))
  const answers = [[say('first'), pause(held)], say('first again')]
  const first = await here.tab({ model: scriptedModel(answers) }).open()
  const second = await tabNamed(here, 'second').open()
  const turn = first.send('one')
  await until(() => second.partial.value?.text === 'first')
  const later = second.send('two')
  await until(() => second.queued.value.length === 1, 'it is queued')
  go()
  expect(await turn).toMatchObject({ text: 'first' })
  expect(await later).toMatchObject({ text: 'first again' })
})

test('[G6] two people writing at once never wrest the session from each other: an epoch a message at most', async () => {
  const here = device()
  const tabs = [await tabNamed(here, 'one').open(), await tabNamed(here, 'two').open()]
  await tabs[0]!.send('begin')
  const before = await epochOf(here)
  const turns = Array.from({ length: 20 }, (_, index) => tabs[index % 2]!.send(`words ${index}`))
  for (const turn of turns) expect((await turn).refused).toBeUndefined()
  await until(() => tabs.every(({ messages }) => messages.value.length === 42), 'both tabs show all of it')
  expect((await epochOf(here)) - before).toBeLessThanOrEqual(20)
  expect(tabs[0]!.messages.value).toEqual(tabs[1]!.messages.value)
})

test('[G6] a claim whose tab died before it took the session costs nothing: the owner goes on', async () => {
  const here = device(openMemoryStore(), { clock: hastyClock(50) })
  const first = await tabNamed(here, 'first').open()
  await first.send('one')
  const stranger = here.transport.open('dogear::s1', () => {})
  await here.store.send({ type: 'send', content: 'two', when: 'later', commandId: 'c2', sessionId: 's1', at: 1 })
  stranger.post({ type: 'claim', host: 'dead' })
  await until(() => first.messages.value.length === 4, 'the words are answered')
  expect(wordsOf(first)).toEqual(['one', 'first', 'two', 'first'])
})

test('[G6] [T13] an offer that nobody asked for moves nothing', async () => {
  const here = device()
  const claims: string[] = []
  const stranger = here.transport.open('dogear::s1', (message) => {
    const { type, host } = message as { type: string; host: string }
    if (type === 'claim') claims.push(host)
  })
  const first = await tabNamed(here, 'first').open()
  const second = await tabNamed(here, 'second').open()
  await first.send('one')
  await second.send('two')
  await first.send('three')
  const before = await epochOf(here)
  for (const host of new Set(claims)) stranger.post({ type: 'yours', host })
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(claims.length).toBeGreaterThan(1)
  expect(await epochOf(here)).toBe(before)
})

test('[C47] of two answers to one question the first counts, and the second is told who gave it', async () => {
  const here = device()
  const book = { name: 'book', needsApproval: true, func: () => 'Booked.' }
  const session = await here.tab({ model: scriptedModel([call('book', {}), say('Done.')]), tools: [book] }).open()
  await session.send('book')
  const requestId = session.requests.value[0]!.id
  const answer = (commandId: string, by?: string) =>
    here.store.send({
      type: 'resolve',
      requestId,
      resolution: { type: 'approve' },
      commandId,
      sessionId: 's1',
      at: 1,
      ...(by && { by }),
    })
  await answer('first', 'Ada')
  await answer('second', 'Bob')
  here.transport.open('dogear::s1', () => {}).post({ type: 'wake' })
  await until(() => wordsOf(session).at(-1) === 'Done.', 'it is done')
  const refused = (await journalOf(here)).filter(({ type }) => type === 'command-refused')
  expect(refused).toMatchObject([{ commandId: 'second', reason: 'This was answered already.', by: 'Ada' }])
})

test('[G6] [X7] a frozen owner loses the session to a tab that waits for it, and follows when it thaws', async () => {
  const here = device(openMemoryStore(), { clock: hastyClock(50) })
  const frozen = tabNamed(here, 'first')
  const first = await frozen.open()
  const second = await tabNamed(here, 'second').open()
  await first.send('one')
  frozen.freeze()
  expect(await second.send('two')).toMatchObject({ text: 'second' })
  expect(first.messages.value).toHaveLength(2)
  frozen.thaw()
  await until(() => first.messages.value.length === 4, 'the thawed tab shows what happened')
  expect(wordsOf(first)).toEqual(['one', 'first', 'two', 'second'])
  expect(await first.send('three')).toMatchObject({ text: 'first' })
  await until(() => second.messages.value.length === 6, 'the other tab follows it')
  expect(wordsOf(second)).toEqual(wordsOf(first))
})

test('[G6] [X7] an owner that was never told that its lock is gone notices by the first word of the next', async () => {
  const real = memoryLock()
  const lock: Lock = {
    async acquire(...given) {
      const held = await real.acquire(...given)
      return held && { release: held.release, lost: new Promise<void>(() => {}) }
    },
  }
  const here = device(openMemoryStore(), { clock: hastyClock(50), lock })
  const frozen = tabNamed(here, 'first')
  const first = await frozen.open()
  const second = await tabNamed(here, 'second').open()
  await first.send('one')
  frozen.freeze()
  expect(await second.send('two')).toMatchObject({ text: 'second' })
  frozen.thaw()
  await until(() => first.messages.value.length === 4, 'the thawed tab shows what happened')
})

test('[G3] [G6] [X7] an owner frozen in a call writes nothing when it thaws: the call happened once, and what it learnt settles the question', async () => {
  const here = device(openMemoryStore(), { clock: hastyClock(50) })
  const booked: string[] = []
  let finish = (_answer: string) => {}
  const tools = [
    {
      name: 'book',
      func: (_args: unknown, { callId }: { callId: string }) => {
        booked.push(callId)
        return new Promise<string>((resolve) => (finish = resolve))
      },
    },
  ]
  const frozen = here.tab({ model: scriptedModel([call('book', {}), forever]), tools })
  const first = await frozen.open()
  const second = await here.tab({ model: scriptedModel([say('Good.')]), tools }).open()
  void first.send('book')
  await until(() => booked.length === 1)
  frozen.freeze()
  await second.rename('still there?')
  await until(() => second.requests.value[0]?.kind === 'outcome', 'the other tab asks what happened')
  finish('Booked.')
  frozen.thaw()
  await until(() => textOf(first.messages.value.at(-1) ?? { content: '' }) === 'Good.', 'the thawed tab shows the end')
  expect(second.requests.value).toEqual([])
  expect(booked).toHaveLength(1)
  const results = (await journalOf(here)).filter((entry) => entry.type === 'tool-result')
  expect(results.map(({ result }) => result.content)).toEqual(['Booked.'])
})

test('[G6] an owner that is slow but answers keeps its session', async () => {
  const here = device(openMemoryStore(), { clock: hastyClock(100) })
  let isSlow = false
  let go = () => {}
  const slow = new Proxy(here.store, {
    get(target, key: keyof Store) {
      if (key !== 'inbox' || !isSlow) return (target[key] as () => unknown).bind(target)
      return async (sessionId: string) => {
        await new Promise<void>((resolve) => (go = resolve))
        return target.inbox(sessionId)
      }
    },
  })
  const first = await tabNamed(here, 'first', slow).open()
  const second = await tabNamed(here, 'second').open()
  await first.send('one')
  isSlow = true
  const epoch = await epochOf(here)
  let pongs = 0
  here.transport.open('dogear::s1', (told) => (pongs += (told as { type: string }).type === 'pong' ? 1 : 0))
  const turn = second.send('two')
  await until(() => pongs > 5, 'it was asked more often than silence allows')
  expect(await epochOf(here)).toBe(epoch)
  isSlow = false
  go()
  await turn
})

test('[G6] [X11] a tab brought back by the browser looks before it acts: another one drives', async () => {
  const here = device(openMemoryStore(), { clock: hastyClock(50) })
  const away = tabNamed(here, 'first')
  const first = await away.open()
  await first.send('one')
  away.freeze()
  const second = tabNamed(here, 'second')
  expect(await (await second.open()).send('two')).toMatchObject({ text: 'second' })
  const epoch = await epochOf(here)
  away.thaw()
  away.restore()
  await until(() => first.messages.value.length === 4, 'it shows what happened meanwhile')
  expect(await epochOf(here)).toBe(epoch)
  second.kill()
  expect(await first.send('three')).toMatchObject({ text: 'first' })
})

test('[G6] [X11] a tab put away at rest leaves the session to the next at once, and follows when it is back', async () => {
  const here = device(openMemoryStore(), { clock: fakeClock() })
  const away = tabNamed(here, 'first')
  const first = await away.open()
  const second = await tabNamed(here, 'second').open()
  await first.send('one')
  const epoch = await epochOf(here)
  away.leave()
  await until(async () => (await epochOf(here)) > epoch, 'the second drives')
  away.freeze()
  expect(await second.send('two')).toMatchObject({ text: 'second' })
  away.thaw()
  away.restore()
  await until(() => first.messages.value.length === 4, 'it shows what happened meanwhile')
  expect(await first.send('three')).toMatchObject({ text: 'first' })
})

test('[G6] [X11] a tab put away at work keeps the session: it goes on where it was when it is back', async () => {
  const here = device()
  let go = () => {}
  const held = new Promise<void>((resolve) => (go = resolve))
  const away = here.tab({ model: scriptedModel([[say('half, '), pause(held), say('whole')]]) })
  const first = await away.open()
  const turn = first.send('one')
  await until(() => first.partial.value?.text === 'half, ')
  const epoch = await epochOf(here)
  away.leave()
  away.restore()
  go()
  expect(await turn).toMatchObject({ text: 'half, whole' })
  expect(await epochOf(here)).toBe(epoch)
})

test('[G6] [X11] a tab brought back by the browser still drives when nobody else did, and finds what was sent meanwhile', async () => {
  const here = device()
  const away = tabNamed(here, 'first')
  const first = await away.open()
  await first.send('one')
  const epoch = await epochOf(here)
  await here.store.send({ type: 'send', content: 'two', when: 'later', commandId: 'c2', sessionId: 's1', at: 1 })
  away.restore()
  await until(() => first.messages.value.length === 4, 'it answers')
  expect(await epochOf(here)).toBe(epoch)
})

test('[X11] a session deleted while the tab was away is gone when it is back', async () => {
  const here = device()
  const away = tabNamed(here, 'first')
  const first = await away.open()
  await first.send('one')
  await here.store.delete('s1')
  away.restore()
  await until(() => first.messages.value.length === 0, 'it is empty')
})

test('[G6] [X1] [X2] whatever the owner was doing when it died, the next tab goes on at once', async () => {
  const moments: [string, Parameters<typeof scriptedModel>[0]][] = [
    ['streaming', [[say('half'), forever]]],
    ['in a call', [call('look', {})]],
    ['waiting for a person', [call('ask', {})]],
  ]
  for (const [moment, script] of moments) {
    const clock = fakeClock()
    const here = device(openMemoryStore(), { clock })
    const tools = [
      { name: 'look', effect: 'read' as const, func: () => new Promise(() => {}) },
      { name: 'ask', needsApproval: true, func: () => 'asked' },
    ]
    const dying = here.tab({ model: scriptedModel(script), tools })
    const first = await dying.open()
    const second = await here.tab({ model: scriptedModel(() => say('on')), tools }).open()
    void first.send('go')
    await until(async () => {
      if (clock.waits()[0]! <= frame) await clock.advance(frame)
      return second.calls.value.length > 0 || second.partial.value !== null
    }, moment)
    const epoch = await epochOf(here)
    // Time stands still from here on: a tab that had to ask first whether anybody drives would ask for ever.
    dying.kill()
    await until(async () => (await epochOf(here)) > epoch, `the second takes over, after ${moment}`)
    await second.rename('mine now').catch(() => {})
    await until(() => second.title.value === 'mine now', `the second drives, after ${moment}`)
    expect([moment, await epochOf(here)]).toEqual([moment, epoch + 1])
  }
})

async function epochOf(here: Device): Promise<number> {
  return (await here.store.session('s1'))?.epoch ?? 0
}

/** The whole journal, which must have neither gap nor double. */
async function journalOf(here: Device): Promise<Entry[]> {
  const entries = await here.store.entries('s1', 0)
  expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, index) => index))
  return entries
}

function wordsOf(session: Session): string[] {
  return session.messages.value.map((message) => textOf(message))
}
