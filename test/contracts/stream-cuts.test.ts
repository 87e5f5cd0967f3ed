/** Streams lost at every byte, through a whole session on real HTTP: none is paid for twice, run early, or taken back. */
import { describe, expect, test } from 'vitest'
import { cutsOf, expectAsUncut, expectKept, inBatches, isEverything } from './cut-checks.ts'
import { tell, type Faults, type Loss, type Reply, type ServerKind, type Tape } from './faulty-wire.ts'

const chunk = (delta: object, finish: string | null = null) => ({ choices: [{ delta, finish_reason: finish }] })

/** Letters of two and four bytes, arguments in two pieces, and the cost behind the end, where OpenAI sends it. */
const tape: Tape = [
  [
    chunk({ content: 'Olá. ' }),
    chunk({ tool_calls: [{ index: 0, id: 'c1', function: { name: 'look', arguments: '{"at":' } }] }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: '"Évora"}' } }] }),
    chunk({}, 'tool_calls'),
    { choices: [], usage: { prompt_tokens: 2, completion_tokens: 3, total_tokens: 5 } },
  ],
  [
    chunk({ content: 'Três 🏨 ' }),
    chunk({ content: 'here.' }),
    chunk({}, 'stop'),
    { choices: [], usage: { prompt_tokens: 4, completion_tokens: 5, total_tokens: 9 } },
  ],
]

describe.each<ServerKind>(['proxy', 'plain'])('on a %s server', (kind) => {
  test('[G7] [G8] [X5] ended early at every byte of two answers, a turn is as if it had not been', async () => {
    const { cuts, kept } = await expectCuts('end', 1)
    expect(cuts).toBeGreaterThan(800)
    if (kind === 'plain') expect(kept).toBeGreaterThan(300)
  }, 120_000)

  // How it was lost differs only for the reader, not by the byte: some bytes of each show that.
  test.each<Loss>(['drop', 'reset', 'stall'])(
    '[G7] [G8] [X5] lost by a %s, it is so too',
    async (loss) => {
      const { cuts } = await expectCuts(loss, isEverything ? 1 : 7)
      expect(cuts).toBeGreaterThan(100)
    },
    120_000,
  )

  async function expectCuts(loss: Loss, step: number) {
    const whole = await tell(kind, tape)
    const cuts = whole.streams.flatMap((bytes, stream) => cutsOf(bytes.length, stream, loss, step))
    const kept = await inBatches(cuts, 20, async (cut) => {
      const told = await tell(kind, tape, { cuts: [cut], haste: loss === 'stall' ? 1000 : 100 })
      const words = expectAsUncut(kind, whole, told, [cut])
      if (kind === 'plain' && loss === 'end') expectKept(told, cut, words)
      return words
    })
    return { cuts: cuts.length, kept: kept.flat().length }
  }

  test('[G7] [G8] [X5] lost again and again, a turn still ends as if it had not been', async () => {
    const whole = await tell(kind, tape)
    const rounds = Array.from({ length: isEverything ? 120 : 20 }, (_, round) => round)
    await inBatches(rounds, 20, async (round) => {
      const byte = 60 + (round % 60)
      // The first answer twice, then the second: three in a row are given up on.
      const cuts = [0, 1, 3].map((stream) => ({ stream, byte, loss: (round + stream) % 2 ? 'end' : 'drop' }) as const)
      expectAsUncut(kind, whole, await tell(kind, tape, { cuts }), cuts)
    })
  }, 60_000)
})

test('[G8] cut where the proxy could not keep so much, or nobody came back in time, it costs one more call at most', async () => {
  const whole = await tell('proxy', tape)
  const cuts = whole.streams.flatMap(({ length }, stream) => cutsOf(length, stream, 'end', isEverything ? 1 : 9))
  for (const limits of [{ maxBytes: 150 }, { grace: 0 }]) {
    const asked = await inBatches(cuts, 20, async (cut) => {
      const told = await tell('proxy', tape, { cuts: [cut], limits })
      // Like any server that keeps nothing.
      expectAsUncut('plain', whole, told, [cut])
      return told.asked
    })
    expect(asked).toContain(3)
  }
}, 60_000)

const refusals: Record<string, Reply> = {
  'a 429 that says when to come again': (response) => void response.writeHead(429, { 'retry-after': '1' }).end('{}'),
  'a 503 with a date to come again': (response) =>
    void response.writeHead(503, { 'retry-after': new Date().toUTCString() }).end('<h1>Busy</h1>'),
  'a 502 with a page in it': (response) =>
    void response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>'),
  'no HTTP at all': (response) => void response.socket?.end('garbage\r\n\r\n'),
  'a reset': (response) => void response.socket?.resetAndDestroy(),
}

describe.each(Object.entries(refusals))('[G7] [G9] [X5] %s', (_, reply) => {
  test.each<ServerKind>(['proxy', 'plain'])('in place of any answer of a %s server costs nothing', async (kind) => {
    const whole = await tell(kind, tape)
    for (const request of [0, 1]) {
      const told = await tell(kind, tape, { replies: { [request]: reply } })
      expectAsUncut(kind, whole, told, [])
      expect(told.asked).toBe(whole.asked)
    }
  })

  test('in place of a stream that is returned to costs nothing either', async () => {
    const whole = await tell('proxy', tape)
    const cut = { stream: 0, byte: 200, loss: 'end' } as const
    expectAsUncut('proxy', whole, await tell('proxy', tape, { cuts: [cut], replies: { 1: reply } }), [cut])
  })
})

const nonsense: Record<string, Reply> = {
  'a page': (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end(page),
  'a page that says it is a stream': (response) =>
    void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`data: ${page}\n\n`),
  'a page that does not say what it is': (response) => void response.writeHead(200).end(page),
  'other JSON': (response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}'),
  bytes: (response) => void response.writeHead(200).end(Buffer.from([0xff, 0xfe, 0, 0x80, 10, 10])),
}
const page = '<!doctype html><title>Welcome to the hotel</title><p>Sign in to use the network.'

describe.each(Object.entries(nonsense))('[G8] [G9] [X5] %s with status 200', (_, reply) => {
  test.each<ServerKind>(['proxy', 'plain'])('is never taken for an answer of a %s server', async (kind) => {
    for (const request of [0, 1]) {
      const { words, ran, end, asked } = await tell(kind, tape, { replies: { [request]: reply } })
      expect(end).toMatchObject({ terminalReason: 'model_error', error: { code: 'bad-response' } })
      expect(words.map(({ role }) => role)).toEqual(request ? ['user', 'assistant', 'tool'] : ['user'])
      expect([ran.length, asked]).toEqual([request, request])
    }
  })

  test('is not taken for the rest of a stream: what was shown stays, marked', async () => {
    const cut = { stream: 0, byte: 200, loss: 'end' } as const
    const { words, ran, end } = await tell('proxy', tape, { cuts: [cut], replies: { 1: reply } })
    expect(end).toMatchObject({ terminalReason: 'model_error' })
    expect(words.at(-1)).toEqual({ role: 'assistant', text: 'Olá. ', calls: [], status: 'partial' })
    expect(ran).toEqual([])
  })

  test('and a person who tries again gets the answer that was not given', async () => {
    const whole = await tell('proxy', tape)
    const cut = { stream: 0, byte: 200, loss: 'end' } as const
    const failing: Faults[] = [
      { replies: { 0: reply } },
      { replies: { 1: reply } },
      { cuts: [cut], replies: { 1: reply } },
    ]
    for (const faults of failing) {
      const { words, ran, end } = await tell('proxy', tape, { ...faults, retries: true })
      expect(words.filter(({ status }) => status !== 'partial')).toEqual(whole.words)
      expect([ran, end?.terminalReason]).toEqual([whole.ran, 'completed'])
    }
  })
})
