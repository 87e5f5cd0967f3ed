/** Sessions on the real proxy, whose connections break: what is finished is never asked for again. */
import { textOf, type SmartAgentOptions } from '@dogear/core'
import { createOpenAIModel } from '@dogear/models'
import { createProxy, ProxyError, type Provider } from '@dogear/proxy'
import { browserClock } from '@dogear/worker/host'
import type { Session } from '@dogear/worker'
import { expect, test } from 'vitest'
import { device, until, type Tab } from './device.ts'
import { normalJournal } from './normal-journal.ts'

test('[G7] reloaded or closed for another tab at any event, a turn ends as if it had not been, and is asked once', async () => {
  const whole = await told({})
  for (const each of chunksOf(eventsIn(whole.frames), 6)) {
    await Promise.all(
      each.map(async (at) => {
        const { journal, asked } = await told({ killAt: at })
        expect({ at, journal }).toEqual({ at, journal: whole.journal })
        expect(asked).toHaveLength(2)
      }),
    )
  }
}, 120_000)

test('[G7] [X1] when only the worker dies, at any event, the same is true', async () => {
  const whole = await told({})
  await Promise.all(
    eventsIn(whole.frames).map(async (at) => {
      const { journal, asked } = await told({ killWorkerAt: at })
      expect({ at, journal }).toEqual({ at, journal: whole.journal })
      expect(asked).toHaveLength(2)
    }),
  )
}, 120_000)

test('[G7] [G9] [X4] offline at any event, for less than the proxy waits, the same is true', async () => {
  const whole = await told({})
  for (const each of chunksOf(eventsIn(whole.frames), 6)) {
    await Promise.all(
      each.map(async (at) => {
        const { journal, asked, states } = await told({ offlineAt: at })
        expect({ at, journal }).toEqual({ at, journal: whole.journal })
        expect(asked).toHaveLength(2)
        // Lost behind its last word, an answer is whole: nothing is waited for.
        if (at.frame < whole.frames[at.response]! - 1) expect(states).toContain('network')
      }),
    )
  }
}, 120_000)

test('[G7] an answer that ended while nobody listened is read whole from where it was left', async () => {
  const { journal, asked } = await told({ killAt: { response: 1, frame: 2 }, awayUntil: 'ended' })
  expect(journal).toEqual((await told({})).journal)
  expect(asked).toHaveLength(2)
})

test('[G8] on a server without event ids the partial is kept and marked, and one more call asks again', async () => {
  const { session, asked } = await told({ isPlain: true, cutAt: { response: 1, byte: 300 } })
  const words = session.messages.value.map((message) => [textOf(message), message.meta.status])
  expect(words.slice(-2)).toEqual([
    [expect.stringMatching(/^Three/), 'partial'],
    ['Three hotels by the river.', 'complete'],
  ])
  expect(asked).toHaveLength(3)
  expect(asked[2]?.messages).toEqual(asked[1]?.messages)
})

test('[G8] what is cut between proxy and provider is kept, marked, and asked for again', async () => {
  const { session, asked } = await told({ cutUpstreamAt: 2 })
  expect(session.messages.value.at(-2)?.meta.status).toBe('partial')
  expect(textOf(session.messages.value.at(-1)!)).toBe('Three hotels by the river.')
  expect(asked).toHaveLength(3)
})

test('[G8] a provider that always breaks off before its first word is not asked for ever', async () => {
  const { session, asked } = await told({ cutUpstreamAt: 0, cutsUpstream: Infinity })
  expect(session.lastEnd.value).toMatchObject({ terminalReason: 'model_error', error: { code: 'stream-cut' } })
  expect(asked.length).toBeLessThan(8)
})

interface At {
  readonly response: number
  /** How many events have come by then. */
  readonly frame: number
}

interface Faults {
  readonly cutAt?: { readonly response: number; readonly byte: number }
  readonly killAt?: At
  readonly awayUntil?: 'ended'
  readonly killWorkerAt?: At
  readonly offlineAt?: At
  readonly cutUpstreamAt?: number
  readonly cutsUpstream?: number
  /** No ids, no keys: any server that speaks OpenAI's wire. */
  readonly isPlain?: boolean
}

const tape = [
  [{ content: 'Let me ' }, { content: 'look.' }, called('look', '{"city":'), { tool_calls: [args('"Lisbon"}')] }],
  [{ content: 'Three ' }, { content: 'hotels ' }, { content: 'by the ' }, { content: 'river.' }],
]

/** One turn from a tape of two answers, with one fault: what the journal then says, and what was paid for. */
async function told(faults: Faults) {
  const here = device()
  const provider = taped(faults)
  const proxy = createProxy({ models: { default: { provider, model: 'taped' } } })
  const [sizes, frames, states]: [number[], number[], unknown[]] = [[], [], []]
  let isOnline = true
  let hasFailed = false
  let tab: Tab
  let session: Session

  function newTab(): Tab {
    const gone = new AbortController()
    const options: SmartAgentOptions = {
      model: createOpenAIModel({ endpoint: 'http://localhost/api', clock: browserClock, fetch: connection(gone) }),
      tools: [{ name: 'look', effect: 'read', func: () => 'three' }],
    }
    const made = here.tab(options)
    return { ...made, kill: () => (gone.abort(), made.kill()) }
  }

  /** The way from the page to the proxy, with the fault in it. */
  function connection(gone: AbortController): typeof fetch {
    return async (url, init) => {
      if (!isOnline) throw new TypeError('Failed to fetch')
      const signal = AbortSignal.any([gone.signal, ...(init?.signal ? [init.signal] : [])])
      const request = new Request(url, { ...init, signal })
      const plain = () => new Request(request.url.replace(/\?.*/, ''), request)
      const response = await proxy(faults.isPlain ? plain() : request)
      if (!response.ok || !response.body) return response
      const number = sizes.push(0) - 1
      frames.push(0)
      return new Response(response.body.pipeThrough(wire(number)), response)
    }
  }

  function wire(response: number): TransformStream<Uint8Array, Uint8Array> {
    return new TransformStream({
      async transform(bytes, controller) {
        const text = new TextDecoder().decode(bytes)
        const sent = faults.isPlain ? new TextEncoder().encode(text.replace(/^id: .*\n/gm, '')) : bytes
        const before = sizes[response] ?? 0
        sizes[response] = before + sent.length
        frames[response] = (frames[response] ?? 0) + text.split('\n\n').length - 1
        const { cutAt } = faults
        if (!hasFailed && cutAt?.response === response && before + sent.length > cutAt.byte) {
          hasFailed = true
          controller.enqueue(sent.slice(0, cutAt.byte - before))
          return breakOff(controller)
        }
        controller.enqueue(sent)
        const at = faults.killAt ?? faults.killWorkerAt ?? faults.offlineAt
        if (hasFailed || at?.response !== response || (frames[response] ?? 0) < at.frame) return
        hasFailed = true
        if (faults.offlineAt) {
          isOnline = false
          await breakOff(controller)
        }
        if (faults.killWorkerAt) setTimeout(() => tab.killWorker())
        if (faults.killAt) setTimeout(() => tab.kill())
      },
    })
  }

  /** A moment later: what is enqueued right before an error is thrown away. */
  async function breakOff(controller: TransformStreamDefaultController): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 2))
    controller.error(new TypeError('network error'))
  }

  tab = newTab()
  session = await tab.open()
  session.waiting.subscribe((reason) => {
    states.push(reason)
    if (reason !== 'network') return
    isOnline = true
    here.network.goOnline()
  })
  void session.send('hotels?')
  if (faults.killAt) {
    await until(() => hasFailed)
    if (faults.awayUntil) await until(() => provider.ended() === 2)
    await new Promise((resolve) => setTimeout(resolve, 10))
    tab = newTab()
    session = await tab.open()
  }
  await untilLong(() => session.status.value === 'idle' && session.lastEnd.value !== null)
  const journal = normalJournal(await here.store.entries('s1', 0))
  tab.kill()
  return { session, journal, sizes, frames, states, asked: provider.asked }
}

function taped({ cutUpstreamAt, cutsUpstream = 1 }: Faults) {
  const asked: Parameters<Provider['stream']>[0][] = []
  let [cuts, ended] = [0, 0]
  return {
    asked,
    ended: () => ended,
    async stream(request: Parameters<Provider['stream']>[0]): Promise<AsyncIterable<object>> {
      asked.push(request)
      const isSecond = request.messages.some(({ role }) => role === 'tool')
      return answer(isSecond ? 1 : 0)
    },
    complete: () => Promise.reject(new Error('These tests stream.')),
  }

  async function* answer(number: number): AsyncGenerator<object> {
    for (const [index, delta] of (tape[number] ?? []).entries()) {
      await new Promise((resolve) => setTimeout(resolve, 5))
      if (number === 1 && index === cutUpstreamAt && cuts++ < cutsUpstream) {
        throw new ProxyError(502, 'upstream_cut', "The provider's answer broke off before its end. Try again.")
      }
      yield { choices: [{ index: 0, delta, finish_reason: null }] }
    }
    yield { choices: [{ index: 0, delta: {}, finish_reason: number ? 'stop' : 'tool_calls' }] }
    ended += 1
  }
}

function eventsIn(frames: readonly number[]): At[] {
  return frames.flatMap((count, response) => Array.from({ length: count }, (_, n) => ({ response, frame: n + 1 })))
}

function chunksOf<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, n) => all.slice(n * size, (n + 1) * size))
}

function called(name: string, begin: string) {
  return { tool_calls: [{ index: 0, id: 'c1', type: 'function', function: { name, arguments: begin } }] }
}

function args(rest: string) {
  return { index: 0, function: { arguments: rest } }
}

async function untilLong(seen: () => boolean): Promise<void> {
  for (let tries = 0; tries < 4; tries += 1)
    if (
      await until(seen).then(
        () => true,
        () => false,
      )
    )
      return
  throw new Error('The turn did not end within 20 s.')
}
