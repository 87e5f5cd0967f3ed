import type { Clock, Held, Lock } from '@dogear/core'
import { expect, test, vi } from 'vitest'
import { createOwnership } from './ownership.ts'
import type { Told } from './told.ts'

test('[G6] a lock is not let go while an epoch is being raised: whoever gets it would be fenced', async () => {
  let raised = () => {}
  const { ownership, asked } = tab({ begin: () => new Promise<void>((resolve) => (raised = resolve)) })
  void ownership.goOn()
  const held = asked[0]!.give()
  await settled()
  ownership.close()
  await settled()
  expect(held.release).not.toHaveBeenCalled()
  raised()
  await settled()
  expect(held.release).toHaveBeenCalledOnce()
})

test('[G6] an offer to another tab is not taken, and one’s own is taken once', async () => {
  const { ownership, asked } = tab({})
  ownership.urge(true)
  await settled()
  ownership.hear({ type: 'yours', host: 'other' })
  await settled()
  expect(asked.map(({ options }) => options.steal)).toEqual([undefined])
  ownership.hear({ type: 'yours', host: 'me' })
  ownership.hear({ type: 'yours', host: 'me' })
  await settled()
  expect(asked.map(({ options }) => options.steal)).toEqual([undefined, true])
})

test('[G6] words sent where nobody looks do not claim the session: its owner is only woken', () => {
  const { ownership, told } = tab({})
  ownership.urge(false)
  expect(told).toEqual([{ type: 'wake' }])
  ownership.hear({ type: 'yours', host: 'me' })
  ownership.urge(true)
  expect(told.at(-1)).toEqual({ type: 'claim', host: 'me' })
})

test.each(['while it drives', 'as it begins'])(
  '[G6] a tab whose lock was taken %s waits in line, and drives again when it has it',
  async (when) => {
    const { ownership, asked, begin } = tab({})
    void ownership.goOn()
    const held = asked[0]!.give()
    if (when === 'while it drives') await settled()
    held.lose()
    await settled()
    expect(asked).toHaveLength(2)
    expect(asked[1]!.options).toMatchObject({ wait: true })
    asked[1]!.give()
    await settled()
    expect(begin).toHaveBeenCalledTimes(when === 'while it drives' ? 2 : 1)
  },
)

test('[G6] a lock that comes by the line just when it was taken out of turn is given back', async () => {
  const { ownership, asked } = tab({})
  ownership.urge(true)
  await settled()
  ownership.hear({ type: 'yours', host: 'me' })
  await settled()
  const [byLine, byOffer] = asked
  const late = byLine!.give()
  const mine = byOffer!.give()
  await settled()
  expect(late.release).toHaveBeenCalledOnce()
  expect(mine.release).not.toHaveBeenCalled()
})

test.each(['answers', 'is silent'])(
  '[G6] a tab that follows a session at work pings its owner, which %s',
  async (how) => {
    let waits = 0
    const sleep = () => (++waits > 9 ? new Promise<void>(() => {}) : settled())
    const { ownership, asked, told } = tab({ isAtWork: true, sleep })
    ownership.attend()
    await settled()
    // Not in line: what has failed here is not for this tab to take.
    expect(waits).toBe(0)
    void ownership.goOn()
    ownership.attend()
    for (let each = 0; each < 20; each++) {
      await settled()
      if (how === 'answers') ownership.hear({ type: 'pong' })
    }
    const pings = told.filter(({ type }) => type === 'ping').length
    expect(pings).toBe(how === 'answers' ? 9 : 3)
    expect(asked.map(({ options }) => options.steal)).toEqual(how === 'answers' ? [undefined] : [undefined, true])
  },
)

/** One tab's end of it, on a lock that gives when it is told to. */
function tab({ begin: given, isAtWork = false, sleep }: Made) {
  const asked: { options: Parameters<Lock['acquire']>[1]; give: () => Given }[] = []
  const told: Told[] = []
  const begin = vi.fn(given ?? (async () => {}))
  const clock: Clock = {
    now: () => 0,
    elapsed: () => 0,
    sleep: sleep ?? (() => new Promise(() => {})),
    after: () => () => {},
  }
  const lock: Lock = {
    acquire: (_name, options) =>
      new Promise((resolve) => {
        const give = () => {
          let lose = () => {}
          const lost = new Promise<void>((done) => (lose = done))
          const held = { lost, release: vi.fn<() => void>() }
          resolve(held)
          return { ...held, lose: () => lose() }
        }
        asked.push({ options, give })
      }),
  }
  const ownership = createOwnership({
    name: 's',
    host: 'me',
    lock,
    clock,
    tell: (one) => told.push(one),
    begin,
    end: () => {},
    isIdle: () => true,
    robbed: () => void ownership.goOn(),
    isAwaited: async () => !isAtWork,
    isAtWork: () => isAtWork,
    failed: (error) => expect.fail(String(error)),
  })
  return { ownership, asked, told, begin }
}

interface Made {
  readonly begin?: () => Promise<void>
  /** And nothing lies in the inbox. */
  readonly isAtWork?: boolean
  readonly sleep?: Clock['sleep']
}

type Given = Held & { readonly lose: () => void }

function settled(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve))
}
