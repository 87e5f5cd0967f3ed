/** What tabs promise each other about one session: one drives, all see, and none is left waiting. */
import { textOf, type Store } from '@dogear/core'
import { openMemoryStore } from '@dogear/store'
import { call, fail, forever, pause, say, scriptedModel, think } from '@dogear/testing'
import { expect, test } from 'vitest'
import { device, until } from './device.ts'

test('[G6] words sent in a second tab are answered though the first, which holds the session, has said nothing yet', async () => {
  const here = device()
  const model = scriptedModel([say('Here.')])
  await here.tab({ model }).open()
  const second = await here.tab({ model }).open()
  expect(await second.send('anybody?')).toMatchObject({ text: 'Here.' })
})

test('[G6] words sent at once after opening are answered, however slow the storage is', async () => {
  for (let delay = 0; delay < 12; delay += 1) {
    const here = device(slow(openMemoryStore(), delay))
    const session = await here.tab({ model: scriptedModel([say('Here.')]) }).open()
    await ticks(delay % 3)
    expect(await session.send('hello'), `storage ${delay} ticks slow`).toMatchObject({ text: 'Here.' })
  }
})

test('one session opened twice at once in a page is one session, let go when both have closed it', async () => {
  const here = device(slow(openMemoryStore(), 9))
  const model = scriptedModel([say('One.'), say('Two.')])
  const tab = here.tab({ model })
  const [one, other] = await Promise.all([tab.open(), tab.open()])
  expect(other).toBe(one)
  await one.send('first')
  expect(one.messages.value).toHaveLength(2)
  one.close()
  expect(await other.send('second')).toMatchObject({ text: 'Two.' })
  other.close()
  const elsewhere = await here.tab({ model: scriptedModel([say('Three.')]) }).open()
  expect(await elsewhere.send('third')).toMatchObject({ text: 'Three.' })
})

test('a session closed while it is being opened again stays open', async () => {
  const here = device(slow(openMemoryStore(), 9))
  const model = scriptedModel([say('One.'), say('Two.')])
  const tab = here.tab({ model })
  const old = await tab.open()
  await old.send('first')
  const opening = tab.open()
  old.close()
  const session = await opening
  expect(await session.send('second')).toMatchObject({ text: 'Two.' })
  expect(session.messages.value).toHaveLength(4)
})

test('[G6] a tab that closed while it was taking a session does not fence the one that took over', async () => {
  for (let moment = 0; moment < 30; moment += 1) {
    const here = device(slow(openMemoryStore(), 3))
    const model = scriptedModel(() => say('Yes.'))
    const one = await here.tab({ model }).open()
    await one.send('begin')
    one.close()
    const first = here.tab({ model })
    const second = await here.tab({ model }).open()
    const racing = first.open()
    await ticks(moment)
    void racing.then((session) => session.close())
    expect(await second.send('go on'), `${moment} ticks later`).toMatchObject({ text: 'Yes.' })
  }
})

test('[G6] a tab that let go while it was still reading raises no epoch', async () => {
  const here = device()
  const model = scriptedModel(() => say('Yes.'))
  const one = await here.tab({ model }).open()
  await one.send('begin')
  one.close()
  let reads = 0
  let go = () => {}
  const gate = new Promise<void>((resolve) => (go = resolve))
  const disk = new Proxy(here.store, {
    get(target, key: keyof Store) {
      const method = target[key] as (...args: unknown[]) => unknown
      return async (...args: unknown[]) => {
        // The first is its opening: the next is what it reads before it drives.
        if (key === 'entries' && (reads += 1) > 1) await gate
        return method.apply(target, args)
      }
    },
  })
  const session = await here.tab({ model }, disk).open()
  await until(() => reads > 1)
  session.close()
  await ticks(20)
  go()
  await ticks(50)
  expect((await here.store.session('s1'))?.epoch).toBe(1)
})

test('[G6] a third tab goes on when the second, which had taken over from the first, is gone too', async () => {
  const here = device()
  const model = scriptedModel([[say('one'), forever], [say('two'), forever], say('three')])
  const tabs = [here.tab({ model }), here.tab({ model }), here.tab({ model })]
  const [first, second, third] = [await tabs[0]!.open(), await tabs[1]!.open(), await tabs[2]!.open()]
  void first.send('go')
  await until(() => first.partial.value?.text === 'one')
  tabs[0]!.kill()
  await until(() => second.partial.value?.text === 'two', 'the second tab drives')
  tabs[1]!.kill()
  await until(() => third.status.value === 'idle', 'the third tab finishes')
  expect(textOf(third.messages.value.at(-1)!)).toBe('three')
})

test('[G9] a tab that takes over a turn held up by the network no longer says so once it answers', async () => {
  const here = device()
  let isOffline = true
  let go = () => {}
  const held = new Promise<void>((resolve) => (go = resolve))
  const model = scriptedModel(() => (isOffline ? fail('network') : [say('back'), pause(held)]))
  const one = here.tab({ model })
  const two = here.tab({ model })
  const first = await one.open()
  const second = await two.open()
  void first.send('hello')
  await until(() => second.waiting.value === 'network', 'the second tab sees why')
  isOffline = false
  one.kill()
  await until(() => second.partial.value?.text === 'back', 'the second tab answers')
  expect(second.waiting.value).toBeNull()
  expect(second.connection.value).toEqual({ type: 'online' })
  go()
})

test('reasoning and then text are shown as they come, in both tabs', async () => {
  const here = device()
  const gates = [gate(), gate(), gate()]
  const model = scriptedModel([
    [
      think('hm'),
      pause(gates[0]!.open),
      think(' yes'),
      pause(gates[1]!.open),
      say('So'),
      pause(gates[2]!.open),
      say('!'),
    ],
  ])
  const first = await here.tab({ model }).open()
  const second = await here.tab({ model }).open()
  const turn = first.send('think')
  const shows = (reasoning: string, text: string) =>
    until(
      () =>
        [first, second].every(({ partial }) => partial.value?.reasoning === reasoning && partial.value?.text === text),
      `both show ${reasoning} | ${text}`,
    )
  await shows('hm', '')
  gates[0]!.go()
  await shows('hm yes', '')
  gates[1]!.go()
  await shows('hm yes', 'So')
  gates[2]!.go()
  expect((await turn).text).toBe('So!')
})

test('a tab that joins in the middle of an answer sees all of it as it goes on', async () => {
  const here = device()
  const gates = Array.from({ length: 20 }, gate)
  const model = scriptedModel([gates.flatMap(({ open }, index) => [...say(`${index} `), pause(open)])])
  const first = await here.tab({ model }).open()
  const turn = first.send('count')
  let text = ''
  for (const [index, { go }] of gates.entries()) {
    text += `${index} `
    const joining = index % 5 === 2 ? await here.tab({ model }).open() : first
    await until(() => joining.partial.value?.text === text, `${text} is shown`)
    go()
  }
  await turn
})

test('[C48] two tabs answer one request: the first counts, the other is told', async () => {
  const here = device()
  const ran: string[] = []
  const model = scriptedModel([call('book', {}), say('Done.')])
  const tools = [{ name: 'book', needsApproval: true, func: () => void ran.push('booked') }]
  const first = await here.tab({ model, tools }).open()
  const second = await here.tab({ model, tools }).open()
  void first.send('book')
  await until(() => second.requests.value.length === 1)
  const id = second.requests.value[0]!.id
  const answers = await Promise.all([first.approve(id), second.reject(id, 'no')])
  expect(answers.filter((answer) => answer.refused !== undefined)).toHaveLength(1)
  expect(ran.length).toBe(answers[0].refused === undefined ? 1 : 0)
})

test('[T16] opened for another user, a session of the same id is another one, and the first is closed', async () => {
  const tab = device().tab({ model: scriptedModel([]), user: 'ann' })
  const anns = await tab.open()
  const bobs = await tab.client.open({ ...anns.agent, user: 'bob' }, { type: 'id', id: anns.id })
  expect(bobs).not.toBe(anns)
  await expect(anns.send('mine?')).rejects.toMatchObject({ code: 'session-closed' })
})

test('[T16] a session that was closed is told nothing of another user’s that has its id', async () => {
  const tab = device().tab({ model: scriptedModel([say('Hello, Bob.')]), user: 'ann' })
  const anns = await tab.open()
  const bobs = await tab.client.open({ ...anns.agent, user: 'bob' }, { type: 'id', id: anns.id })
  await bobs.send('I am Bob')
  await bobs.snapshot({ tag: 'of Bob' })
  await expect(anns.snapshots()).rejects.toMatchObject({ code: 'session-closed' })
  await expect(anns.snapshot({ tag: 'mine' })).rejects.toMatchObject({ code: 'session-closed' })
  await expect(anns.rewind(null, { dryRun: true })).rejects.toMatchObject({ code: 'session-closed' })
  expect(await bobs.snapshots()).toMatchObject([{ tag: 'of Bob' }])
})

test('a session closed in a tab says so to whoever waits for it, or sends more', async () => {
  const model = scriptedModel([[say('one'), forever]])
  const session = await device().tab({ model }).open()
  const turn = session.send('go')
  await until(() => session.partial.value?.text === 'one')
  session.close()
  await expect(turn).rejects.toMatchObject({ code: 'session-closed' })
  await expect(session.send('more').saved).rejects.toMatchObject({ code: 'session-closed' })
})

test('a session opened under another agent is refused, with both names', async () => {
  const tab = device().tab({ model: scriptedModel([say('Yes.')]) })
  const session = await tab.open()
  await session.send('hello')
  const opening = tab.client.open({ ...session.agent, name: 'other' }, { type: 'id', id: session.id })
  await expect(opening).rejects.toMatchObject({ code: 'session-agent-mismatch' })
})

function gate() {
  let go = () => {}
  const open = new Promise<void>((resolve) => (go = resolve))
  return { open, go: () => go() }
}

/** As many turns of the event loop, in which messages may come and go. */
async function ticks(count: number): Promise<void> {
  for (let tick = 0; tick < count; tick += 1) await new Promise((resolve) => setImmediate(resolve))
}

/** Every call takes some ticks longer, as a disk does. */
function slow(store: Store, count: number): Store {
  return new Proxy(store, {
    get(target, key: keyof Store) {
      const method = target[key] as (...args: unknown[]) => unknown
      return async (...args: unknown[]) => {
        await ticks(count)
        return method.apply(target, args)
      }
    },
  })
}
