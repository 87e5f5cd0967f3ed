/** Nothing that is due stands still: whoever was to tell of it may have died, or its word may have been lost. */
import { DogearError, type Command, type Store } from '@dogear/core'
import { call, say, scriptedModel } from '@dogear/testing'
import { expect, test } from 'vitest'
import { device, until, type Device } from './device.ts'

test('[G1] words whose tab died before it told anybody are taken when another tab opens the session', async () => {
  const here = device()
  const first = await answering(here).open()
  await first.send('one')
  await here.store.send(words('two'))
  await answering(here).open()
  await until(() => first.messages.value.length === 4, 'they are answered')
})

test('[G1] an owner that is asked whether it lives looks at its inbox: the word of it may have been lost', async () => {
  const here = device()
  const first = await answering(here).open()
  await first.send('one')
  await here.store.send(words('two'))
  channelOf(here).post({ type: 'ping' })
  await until(() => first.messages.value.length === 4, 'they are answered')
})

test('[G6] a tab that has the lock of a session without entries drives it once another has begun it', async () => {
  const here = device()
  const first = await answering(here).open()
  await here.store.send(words('one'))
  channelOf(here).post({ type: 'appended' })
  await until(() => first.messages.value.length === 2, 'they are answered')
})

test('[G6] [G7] a tab that loses the lock while it begins to drive gets in line again', async () => {
  const here = device()
  const model = scriptedModel([call('look'), say('Seen.')])
  let entered = 0
  const look = { name: 'look', effect: 'read' as const, func: () => ((entered += 1), entered === 1 ? never : 'seen') }
  const dying = here.tab({ model, tools: [look] })
  void (await dying.open()).send('look')
  await until(() => entered === 1)
  dying.kill()
  let isAsked = false
  let go = () => {}
  const slow: Store = {
    ...here.store,
    async acquire(...args) {
      if (!isAsked) await new Promise<void>((resolve) => ((isAsked = true), (go = resolve)))
      return here.store.acquire(...args)
    },
  }
  const session = await here.tab({ model, tools: [look] }, slow).open()
  await until(() => isAsked, 'it begins')
  const thief = await here.lock.acquire(name, { wait: false, steal: true })
  await ticks()
  go()
  await ticks()
  thief?.release()
  await until(() => session.status.value === 'idle', 'the turn goes on')
})

test('[G1] words that were written although the disk said no are answered, not left lying', async () => {
  const here = device()
  const disk: Store = {
    ...here.store,
    async send(command) {
      await here.store.send(command)
      throw new DogearError('storage-failed', 'The connection was lost.')
    },
  }
  const session = await answering(here, disk).open()
  await session.send('one').saved.catch(() => {})
  await until(() => session.messages.value.length === 2, 'they are answered')
})

test('[G12] a session that another tab begins while this one looks is not taken for a broken one', async () => {
  const here = device()
  const begun = here.store
  await (await answering(here).open()).send('one')
  let looks = 0
  const disk: Store = { ...begun, session: async (id) => ((looks += 1) === 1 ? undefined : begun.session(id)) }
  const tab = answering(here, disk)
  await tab.open()
  expect(tab.warnings).toEqual([])
  expect(await begun.sides('quarantine', 's1')).toEqual([])
})

const name = 'dogear::s1'
const never = new Promise<never>(() => {})

test('[G7] a tab whose write failed after its commit still says so when it finds it in the journal, and goes on when asked', async () => {
  const here = device()
  await here.store.send(words('one'))
  const session = await answering(here, failingAfterCommit(here.store, 1)).open()
  await until(() => session.connection.value.type === 'failed', 'it says so')
  // Another tab, say, has it look at what is written.
  channelOf(here).post({ type: 'appended' })
  await ticks()
  expect(session.connection.value).toMatchObject({ type: 'failed', error: { code: 'storage-failed' } })
  session.resume()
  await until(() => session.messages.value.length === 2, 'they are answered')
  expect(session.connection.value).toEqual({ type: 'online' })
})

test('[G6] a tab that failed says so no more once another tab goes on, and waits in line behind it', async () => {
  const here = device()
  const failed = await answering(here, failingAfterCommit(here.store, 1)).open()
  void failed.send('one')
  await until(() => failed.connection.value.type === 'failed', 'it says so')
  const other = answering(here)
  await (await other.open()).send('two')
  await until(() => failed.messages.value.length === 4, 'it follows')
  expect(failed.connection.value).toEqual({ type: 'online' })
  other.kill()
  await failed.send('three')
  expect(failed.messages.value).toHaveLength(6)
})

/** A disk on which the first writes to the journal are made, and reported as failed. */
function failingAfterCommit(store: Store, times: number): Store {
  let failures = 0
  return {
    ...store,
    async append(batch) {
      const answer = await store.append(batch)
      if (failures++ < times) throw new DogearError('storage-failed', 'The disk failed.')
      return answer
    },
  }
}

function answering(here: Device, disk?: Store) {
  return here.tab({ model: scriptedModel(() => say('Good.')) }, disk)
}

function words(content: string): Command {
  return { type: 'send', content, when: 'later', commandId: content, sessionId: 's1', at: 1 }
}

/** Any script of the origin may speak on it. */
function channelOf(here: Device) {
  return here.transport.open(name, () => {})
}

async function ticks(): Promise<void> {
  for (let tick = 0; tick < 20; tick += 1) await new Promise((resolve) => setImmediate(resolve))
}
