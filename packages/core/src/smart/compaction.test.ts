import fc from 'fast-check'
import { expect, test } from 'vitest'
import { textOf, type Message } from '../session/message.ts'
import type { SmartAgentOptions } from '../agents/agent.ts'
import { countApproxTokens } from './tokens.ts'
import { calling, meta, said, summaryOf, talk, used, user } from './compaction.fixture.ts'

const long = 'lorem ipsum '.repeat(200)
const options: SmartAgentOptions = {
  tools: [{ name: 'look', func: () => long }],
  summarization: { summaryTriggerTokens: 1_000 },
}
const looks = [user('go'), ...used('one', long), ...used('two', long), ...used('three', `newest ${long}`)]

test('[C33] over the trigger old results are archived and summed up, in one write with what the summary cost', async () => {
  const { asked, summed, head, written } = await talk({ messages: looks, options })
  expect(summed).toHaveLength(1)
  expect(textOf(summed[0]!.messages[1]!)).toMatch(/user: go[^]*executionId:'one'[^]*executionId:'two'/)
  expect(head.compaction).toMatchObject({
    upTo: 'two.r',
    archived: ['one.r', 'two.r'],
    summary: 'Sum.',
    trigger: 'auto',
    messagesCompressed: 2,
    usage: { input: 100, output: 10, total: 110, cachedInput: 5 },
    integrity: { ok: true },
  })
  expect(head.compaction!.tokensAfter).toBeLessThan(head.compaction!.tokensBefore)
  const [compaction] = written('compaction-add')
  const [usage] = written('usage-add')
  expect(usage).toMatchObject({ purpose: 'summary', seq: compaction!.seq + 1, at: compaction!.at })
  expect(asked[0]?.messages.map(({ id }) => id)).toEqual([
    'u-go',
    'm-one',
    'one.r',
    'm-two',
    'two.r',
    't.1.c.m',
    't.1.c.r',
    'm-three',
    'three.r',
  ])
})

test('[C33] under the trigger, without a profile or with policy raw nothing is compacted', async () => {
  const calm = await talk({ messages: looks, options: { ...options, summarization: { summaryTriggerTokens: 1e6 } } })
  const off = await talk({ messages: looks, options: { ...options, summarization: false } })
  const raw = await talk({ messages: looks, options: { ...options, context: { policy: 'raw' } } })
  for (const { asked, head } of [calm, off, raw]) {
    expect(head.compaction).toBeNull()
    expect(asked[0]?.messages).toEqual(looks)
  }
})

test('[C33] a long transcript is summed up piece by piece, each with the summary so far, calls beside their results', async () => {
  const { summed, head } = await talk({
    messages: looks,
    options: { ...options, summarization: { summaryTriggerTokens: 1_000, summaryPromptMaxTokens: 700 } },
    summary: (request) => summaryOf({ rawSummary: `${textOf(request.messages[1]!).length} read` }),
  })
  const pieces = summed.map(({ messages }) => textOf(messages[1]!))
  expect(pieces.length).toBeGreaterThan(1)
  expect(pieces[0]).not.toContain('Earlier summary')
  expect(pieces[1]).toContain('Earlier summary')
  for (const call of ['one', 'two']) {
    const piece = pieces.find((text) => text.includes(`executionId:'${call}'`))
    expect(piece).toMatch(new RegExp(`assistant: look\\(\\{\\}\\)\\nresult executionId:'${call}'`))
  }
  expect(head.compaction?.usage?.total).toBe(110 * pieces.length)
})

test("[C21] [C33] the agent's own counter says when it is time, and costs no turn when it throws", async () => {
  const small = [user('go'), ...used('one', 'a '.repeat(100)), ...used('two', 'ok')]
  const counted = await talk({ messages: small, options: { ...options, tokenCounter: (text) => text.length * 10 } })
  expect(counted.head.compaction).toMatchObject({ archived: ['one.r'], tokensBefore: expect.any(Number) })
  expect(counted.head.compaction!.tokensBefore).toBeGreaterThan(2_000)
  const tokenCounter = () => {
    throw new Error('no words')
  }
  const broken = await talk({ messages: looks, options: { ...options, tokenCounter } })
  expect(broken.head.compaction).not.toBeNull()
  expect(broken.warnings.join()).toContain('tokenCounter threw (no words)')
})

test('[C34] an archived result is one marker with its executionId, and the journal keeps the original', async () => {
  const { asked, history } = await talk({ messages: looks, options })
  expect(shown(asked[0]!.messages, 'one')).toBe(`ARCHIVED_TOOL_RESPONSE executionId:'one' ${long.length} characters`)
  expect(history.slice(0, looks.length)).toEqual(looks)
})

test("[C17] [C34] a tool's retention says what is left of its result", async () => {
  const rows = JSON.stringify({ hotels: Array.from({ length: 90 }, (_, id) => ({ id, about: long })) })
  const tool = (name: string, output: 'keep_full' | 'keep_structured' | 'drop') => ({
    name,
    func: () => 1,
    retention: { output },
  })
  const { asked, summed, head } = await talk({
    messages: [
      user('go'),
      ...used('full', long, { tool: 'full' }),
      ...used('rows', rows, { tool: 'rows' }),
      ...used('gone', long, { tool: 'gone' }),
      ...used('new', 'ok'),
    ],
    options: {
      ...options,
      tools: [tool('full', 'keep_full'), tool('rows', 'keep_structured'), tool('gone', 'drop')],
      summarization: { summaryTriggerTokens: 500 },
    },
  })
  const of = (call: string) => shown(asked[0]!.messages, call)
  expect(of('full')).toBe(long)
  expect(of('rows')).toMatch(/^ARCHIVED_TOOL_RESPONSE executionId:'rows' \{"hotels":\[\{"id":0.*"… 87 more"\]\}$/)
  expect(of('gone')).toBe("ARCHIVED_TOOL_RESPONSE executionId:'gone' dropped")
  expect(head.compaction?.archived).toEqual(['rows.r', 'gone.r'])
  // Nothing of it was to be summed up: no model is asked.
  expect(summed).toHaveLength(0)
})

test('[C17] long arguments of an archived call are shown by a digest where the tool allows it', async () => {
  const args = JSON.stringify({ name: 'a.txt', text: 'x'.repeat(3_000) })
  const write = { name: 'write', func: () => 1, retention: { input: 'digest' as const } }
  const written = used('w', long, { tool: 'write', args })
  const signed = written.map((message) => ({ ...message, id: `s-${message.id}` }))
  const messages = [
    user('go'),
    ...written,
    { ...signed[0]!, meta: { ...meta, providerData: { signature: 'abc' } } },
    signed[1]!,
    ...used('new', 'ok'),
  ]
  const { asked } = await talk({ messages, options: { ...options, tools: [write] } })
  const argsOf = (id: string) => asked[0]!.messages.find((message) => message.id === id)!.tool_calls![0]!.function
  expect(JSON.parse(argsOf('m-w').arguments)).toEqual({
    name: 'a.txt',
    text: {
      __digest: {
        chars: 3_000,
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        head: 'x'.repeat(200),
        recover: "get_tool_response executionId:'w' part:'input'",
      },
    },
  })
  expect(argsOf('s-m-w').arguments).toBe(args)
})

test('[C35] nothing to reclaim: no model is asked, until a tool gives something new', async () => {
  const words = [user(`go ${long}`), said(`1 ${long}`), user(`and ${long}`), said(`2 ${long}`), user('on')]
  const { summed, head } = await talk({ messages: words, options })
  expect(summed).toHaveLength(0)
  expect(head.compaction).toBeNull()
  const later = await talk({
    messages: words,
    options,
    answers: [calling('look'), calling('look')],
  })
  expect(later.summed).toHaveLength(1)
  expect(later.head.compaction?.archived).toEqual(['t.1.0.r'])
})

test('[C35] the newest results stay, however long they are', async () => {
  const huge = long.repeat(20)
  const { asked, head } = await talk({ messages: [user('go'), ...used('one', huge)], options })
  expect(head.compaction).toBeNull()
  expect(shown(asked[0]!.messages, 'one')).toBe(huge)
})

test('[C35] the summary is read as a call of summarize_context and its result', async () => {
  const { asked } = await talk({ messages: looks, options })
  const at = asked[0]!.messages.findIndex(({ id }) => id === 't.1.c.m')
  const [call, result] = asked[0]!.messages.slice(at)
  expect(call?.tool_calls?.[0]).toMatchObject({ id: 't.1.c.s', function: { name: 'summarize_context' } })
  expect(result).toMatchObject({ role: 'tool', tool_call_id: 't.1.c.s', content: summaryOf({}) })
})

test('[C35] where no tools are sent the summary is read as words: providers refuse a call there', async () => {
  const words = [user(`go ${long}`), said(`1 ${long}`), user(`and ${long}`), said(`2 ${long}`), user('on')]
  const { asked, head } = await talk({
    messages: words,
    options: { ...options, tools: [], context: { policy: 'summary_only', lastTurnsToKeep: 1 } },
  })
  expect(head.compaction?.summary).toBe('Sum.')
  expect(asked[0]).not.toHaveProperty('tools')
  expect(asked[0]!.messages.filter(({ role, tool_calls: calls }) => role === 'tool' || calls)).toEqual([])
  expect(asked[0]!.messages.map(textOf)).toContain(`[System Notice] summarize_context({}) gave: ${summaryOf({})}`)
})

test('[C35] a summariser that fails costs no turn: a plain summary takes its place', async () => {
  const { head, asked, warnings, history } = await talk({ messages: looks, options, summary: new Error('busy') })
  expect(head.compaction?.integrity?.isLocal).toBe(true)
  expect(head.compaction?.usage).toBeUndefined()
  expect(head.compaction?.summary).toContain('user: go')
  expect(warnings.join()).toContain('busy')
  expect(asked).toHaveLength(1)
  expect(textOf(history.at(-1)!)).toBe('Yes.')
})

test('[C36] in a turn that has a fresh summary a little over the trigger is let be', async () => {
  const trigger = (await talk({ messages: looks, options })).head.compaction!.tokensAfter
  const withTrigger = (share: number) => ({
    ...options,
    tools: [{ name: 'look', func: () => 'x'.repeat(4 * trigger * share) }],
    summarization: { summaryTriggerTokens: trigger, summaryCompressionRatioTarget: 0.99 },
  })
  const little = await talk({ messages: looks, options: withTrigger(0.04), answers: [calling('look')] })
  const much = await talk({ messages: looks, options: withTrigger(0.4), answers: [calling('look')] })
  expect(little.written('compaction-add')).toHaveLength(1)
  expect(much.written('compaction-add')).toHaveLength(2)
  expect(much.head.compaction?.previousSummary).toBe('Sum.')
})

test('[C36] words are hidden only when nothing else fits, and never the task, the newest words or a system message', async () => {
  const system: Message = { id: 'rules', role: 'system', content: 'Rules.', meta }
  const words = [1, 2, 3, 4, 5].flatMap((n) => [user(`${n} ${long}`), said(`${n} ${long}`)])
  const { asked, head } = await talk({
    messages: [system, ...words, user('last')],
    options: { limits: { maxContextTokens: 2_000 } },
  })
  const ids = asked[0]!.messages.map(({ id }) => id)
  expect(ids.slice(0, 2)).toEqual(['rules', words[0]!.id])
  expect(ids.at(-1)).toBe('u-last')
  expect(ids).not.toContain(words[1]!.id)
  expect(head.compaction?.hiddenTo).toBeDefined()
  expect(head.compaction?.tokensAfter).toBeLessThan(2_000)
})

test('[C36] nothing is compacted after the last answer', async () => {
  const { written, head } = await talk({
    messages: [user('go'), ...used('one', long)],
    options,
    answers: [
      [
        { type: 'text-delta', text: long.repeat(10) },
        { type: 'finish', reason: 'stop' },
      ],
    ],
  })
  expect(head.lastEnd?.terminalReason).toBe('completed')
  expect(written('compaction-add')).toHaveLength(0)
})

test('[C37] an archived original can be read, its input too, eight times a turn', async () => {
  const read = (args: object) => calling('get_tool_response', args)
  const { asked, history } = await talk({
    messages: [user('go'), ...used('one', long, { args: '{"where":"here"}' }), ...used('two', 'ok')],
    options: { ...options, summarization: { summaryTriggerTokens: 500 } },
    answers: [
      read({ executionId: 'one', part: 'input' }),
      read({ executionId: 'nowhere' }),
      ...Array.from({ length: 8 }, () => read({ executionId: 'two', part: 'output' })),
    ],
  })
  expect(asked[0]?.tools?.map(({ name }) => name)).toEqual(['get_tool_response', 'look'])
  const results = history.filter(({ id }) => id.startsWith('t.')).filter(({ role }) => role === 'tool')
  expect(results.map((message) => [message.meta.status, textOf(message)])).toEqual([
    ['complete', '{"where":"here"}'],
    ['error', expect.stringContaining('No call has this executionId')],
    ...Array.from({ length: 7 }, () => ['complete', 'ok']),
    ['error', expect.stringContaining('At most 8')],
  ])
})

test('[C37] nor can one step read more than eight', async () => {
  const step = Array.from({ length: 10 }, (_, index) =>
    calling('get_tool_response', { executionId: 'two' })
      .slice(0, -1)
      .map((event) => ({ ...event, index }) as typeof event),
  )
  const { history } = await talk({
    messages: [user('go'), ...used('one', long), ...used('two', 'ok')],
    options: { ...options, summarization: { summaryTriggerTokens: 500 } },
    answers: [[...step.flat(), { type: 'finish', reason: 'tool-calls' }]],
  })
  const results = history.filter(({ id, role }) => id.startsWith('t.') && role === 'tool')
  expect(results.map(({ meta: { status } }) => status)).toEqual([...Array(8).fill('complete'), 'error', 'error'])
})

test('[C37] without a marker the tool is not offered, and nobody is told of it', async () => {
  const { asked, history } = await talk({
    messages: [user('go')],
    options,
    answers: [calling('nothing')],
  })
  expect(asked[0]?.tools?.map(({ name }) => name)).toEqual(['look'])
  expect(textOf(history[2]!)).toContain('Known tools: look.')
})

test('[C39] summary_only shows the task, the summary and the newest turns', async () => {
  const { asked, head } = await talk({
    messages: [
      user('go'),
      ...used('one', long),
      said('Found.'),
      user('more'),
      ...used('two', long),
      ...used('new', 'ok'),
    ],
    options: { ...options, context: { policy: 'summary_only', lastTurnsToKeep: 1 } },
  })
  expect(asked[0]?.messages.map(({ id }) => id)).toEqual(['u-go', 'u-more', 't.1.c.m', 't.1.c.r', 'm-new', 'new.r'])
  expect(head.compaction?.archived).toEqual(['one.r', 'two.r'])
})

test('[C39] a budget keeps room for instructions, and the newest messages and results in sight', async () => {
  const messages = [
    user('go'),
    ...used('one', long),
    ...used('two', long),
    ...used('three', long),
    ...used('new', 'ok'),
  ]
  const given = async (context: SmartAgentOptions['context']) => {
    const { asked, head } = await talk({ messages, options: { ...options, context } })
    return { ids: asked[0]?.messages.map(({ id }) => id), archived: head.compaction?.archived ?? [] }
  }
  const tokens = countApproxTokens(long)
  expect((await given({})).archived).toContain('three.r')
  const results = await given({ budget: { toolResponseReserveTokens: tokens * 1.5 } })
  expect(results.archived).toEqual(['one.r', 'two.r'])
  const only = { policy: 'summary_only', lastTurnsToKeep: 1 } as const
  expect((await given(only)).ids).not.toContain('three.r')
  expect((await given({ ...only, budget: { recentTurnsReserveTokens: tokens * 1.5 } })).ids).toContain('three.r')
})

test('a session can be compacted on demand: all that can go goes, and the turn ends', async () => {
  const { head, asked, summed } = await talk({
    messages: looks,
    options: { ...options, summarization: false },
    origin: 'compact',
  })
  expect(asked).toHaveLength(0)
  expect(summed).toHaveLength(1)
  expect(head.turn).toBeNull()
  expect(head.lastEnd).toBeNull()
  expect(head.compaction).toMatchObject({ trigger: 'manual', archived: ['one.r', 'two.r'] })
})

test('[C35] [C36] of any transcript the model is shown a valid conversation, with its task and newest results, and the journal keeps all', async () => {
  const output = fc.constantFrom('ok', long, `{"rows":["${long}"]}`)
  const part = fc.oneof(
    fc.constant('user' as const),
    fc.constant('answer' as const),
    fc.array(output, { minLength: 1, maxLength: 3 }),
  )
  const policy = fc.constantFrom('hybrid', 'summary_only', 'raw')
  const kept = fc.constantFrom('keep_full', 'keep_structured', 'summarize_archive', 'drop')
  await fc.assert(
    fc.asyncProperty(
      fc.array(part, { maxLength: 14 }),
      policy,
      kept,
      fc.integer({ min: 1, max: 6 }),
      fc.integer({ min: 0, max: 3 }),
      async (parts, context, defaultPolicy, lastTurnsToKeep, steps) => {
        const messages = [user('task'), ...parts.flatMap((each, index) => messagesOf(each, index)), user('last')]
        const { asked, history } = await talk({
          messages,
          options: {
            ...options,
            limits: { maxContextTokens: 1_500 },
            context: { policy: context, lastTurnsToKeep },
            toolResponses: { defaultPolicy },
          },
          answers: Array.from({ length: steps }, () => calling('look')),
        })
        expect(history.slice(0, messages.length)).toEqual(messages)
        for (const [step, request] of asked.entries()) {
          expectValid(request.messages)
          const before = history.slice(0, messages.length + step * 2)
          expect(request.messages).toContain(before.find(({ role }) => role === 'user'))
          expect(request.messages).toContain(before.findLast(({ role }) => role === 'user'))
          const newest = before.findLast(({ tool_calls: calls }) => calls)
          for (const { id } of newest?.tool_calls ?? []) {
            expect(request.messages).toContain(before.find((message) => message.tool_call_id === id))
          }
        }
      },
    ),
    { numRuns: 100 },
  )
})

function messagesOf(part: 'user' | 'answer' | readonly string[], index: number): Message[] {
  if (part === 'user') return [user(`${index} ${long}`)]
  if (part === 'answer') return [said(`${index} ${long}`)]
  const groups = part.map((output, call) => used(`${index}-${call}`, output))
  const calls = groups.flatMap(([message]) => message?.tool_calls ?? [])
  return [{ ...groups[0]![0]!, tool_calls: calls }, ...groups.map(([, result]) => result!)]
}

function expectValid(messages: readonly Message[]): void {
  for (let index = 0; index < messages.length; index += 1) {
    const { role, tool_calls: calls } = messages[index]!
    expect(role).not.toBe('tool')
    for (const { id } of calls ?? []) expect(messages[(index += 1)]).toMatchObject({ role: 'tool', tool_call_id: id })
  }
  expect(messages.at(-1)?.role).not.toBe('assistant')
}

function shown(messages: readonly Message[], call: string): string {
  return textOf(messages.find((message) => message.tool_call_id === call)!)
}
