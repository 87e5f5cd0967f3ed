import { expect, test } from 'vitest'
import { defineAgent, type SmartAgentOptions } from '../agents/agent.ts'
import type { Message } from '../session/message.ts'
import { withoutBlocked, type GuardrailInput, type GuardrailVerdict } from '../smart/guardrail.ts'
import { calls, run } from './turn.fixture.ts'

test('[C60] a blocked request is answered by the guardrail, and the model is not asked', async () => {
  const { result, asked } = await guarded({ request: [verdict('block', { replacement: 'Not here.' })] })
  expect(asked).toHaveLength(0)
  expect(result).toMatchObject({ terminalReason: 'guardrail_blocked', content: 'Not here.' })
  expect(result.messages.at(-1)).toMatchObject({ role: 'assistant', name: 'guardrail' })
})

test('[C60] a reason is not for the visitor', async () => {
  const { result } = await guarded({ request: [verdict('block', { reason: 'matched rule 7' })] })
  expect(result.content).toBe('I cannot help with that.')
})

test('[C60] what was blocked does not reach the model with the next question either', async () => {
  const before = await guarded({ request: [verdict('block')] })
  const { asked } = await run({ messages: [...before.result.messages, user('u2', 'the weather?')] })
  expect(asked[0]?.messages.map(({ id }) => id)).toEqual(['u2'])
})

test('[C60] asked again, and allowed this time, the same words reach the model', async () => {
  const before = await guarded({ request: [verdict('block')] })
  const { asked } = await run({ messages: before.result.messages })
  expect(asked[0]?.messages.map(({ id }) => id)).toEqual(['u'])
})

test('[C60] of what was asked and blocked, whatever came after it, only what may be sent is left', () => {
  const block = (id: string): Message => ({ ...user(id, 'No.'), role: 'assistant', name: 'guardrail' })
  const left = (...messages: Message[]) => withoutBlocked(messages).map(({ id }) => id)
  const [one, two, answer] = [user('one', ''), user('two', ''), { ...user('answer', ''), role: 'assistant' as const }]
  expect(left(one, block('b1'), block('b2'), two)).toEqual(['two'])
  expect(left(one, block('b1'), block('b2'))).toEqual(['one'])
  expect(left(one, block('b1'), answer, two)).toEqual(['one', 'answer', 'two'])
  expect(left(one, answer, two, block('b1'), one)).toEqual(['one', 'answer', 'one'])
})

test('[C60] what the model was told in a user’s name is not what a person asked', async () => {
  const seen: string[] = []
  const nudge = user('n', 'Call response.')
  const told: Message = { ...nudge, meta: { ...nudge.meta, origin: 'system' } }
  const request = [{ check: ({ text }: GuardrailInput) => void seen.push(text) }]
  await run({ messages: [user('u', 'where?'), told], options: { guardrails: { request } } })
  expect(seen).toEqual(['where?'])
})

test('[C60] a warning lets it pass, and so does saying nothing', async () => {
  const { result, asked } = await guarded({ request: [verdict('warn'), { check: () => {} }, verdict('allow')] })
  expect(asked).toHaveLength(1)
  expect(result).toMatchObject({ terminalReason: 'completed', content: 'Yes.' })
})

test('[C60] the first block is the last check', async () => {
  const seen: string[] = []
  const check = (disposition: GuardrailVerdict['disposition']) => ({
    name: disposition,
    check: ({ text }: GuardrailInput) => (seen.push(`${disposition} ${text}`), { disposition }),
  })
  await guarded({ request: [check('warn'), check('block'), check('allow')] })
  expect(seen).toEqual(['warn secret', 'block secret'])
})

test('[C60] a blocked answer is replaced, its words kept out of sight', async () => {
  const { result } = await guarded({ response: [verdict('block', { replacement: 'Something else.' })] })
  expect(result).toMatchObject({ terminalReason: 'guardrail_blocked', content: 'Something else.' })
  expect(result.messages.at(-1)?.meta).toMatchObject({ replaced: 'Yes.', status: 'complete' })
})

test('[C60] of a blocked answer no thoughts are kept, and all its words, however long', async () => {
  const long = 'x'.repeat(3000)
  const { result } = await run({
    messages: [user('u', 'secret')],
    options: { guardrails: { response: [verdict('block')] } },
    answers: [
      [
        { type: 'reasoning-delta', text: 'hm' },
        { type: 'text-delta', text: long },
        { type: 'finish', reason: 'stop' },
      ],
    ],
  })
  expect(JSON.stringify(result.messages)).not.toContain('hm')
  expect(result.content).not.toContain('x')
  expect(result.messages.at(-1)?.meta.replaced).toBe(long)
})

test('[C60] a blocked structured answer is no output', async () => {
  const seen: unknown[] = []
  const response = [{ check: ({ output }: GuardrailInput) => (seen.push(output), { disposition: 'block' as const }) }]
  const schema = { type: 'object', properties: { city: { type: 'string' } } }
  const { result, asked } = await run({
    messages: [user('u', 'where?')],
    options: { guardrails: { response }, outputSchema: schema },
    answers: [
      [
        { type: 'call-start', index: 0, name: 'response' },
        { type: 'call-delta', index: 0, args: '{"city":"Lisbon"}' },
        { type: 'finish', reason: 'tool-calls' },
      ],
    ],
  })
  expect(seen).toEqual([{ city: 'Lisbon' }])
  expect(asked).toHaveLength(1)
  expect(result).toMatchObject({ terminalReason: 'guardrail_blocked', output: undefined, outputError: undefined })
  expect(result.messages.at(-1)).toMatchObject({ role: 'assistant', meta: { replaced: '{"city":"Lisbon"}' } })
  expect(result.messages.at(-1)?.tool_calls).toBeUndefined()
})

test('[C60] a blocked answer that asks for tools is replaced, and none of its calls runs', async () => {
  let ran = 0
  const seen: unknown[] = []
  const look = { name: 'look', effect: 'read' as const, func: () => ((ran += 1), 'seen') }
  const response = [
    {
      check({ calls: asked, text }: GuardrailInput) {
        seen.push([text, asked])
        return { disposition: asked?.[0]?.arguments.includes('secret') ? ('block' as const) : ('warn' as const) }
      },
    },
  ]
  const { result, asked } = await run({
    messages: [user('u', 'where?')],
    options: { guardrails: { response }, tools: [look] },
    answers: [calls(['look', { at: 'map' }]), calls(['look', { at: 'secret' }])],
  })
  expect(ran).toBe(1)
  expect(asked).toHaveLength(2)
  expect(result).toMatchObject({ terminalReason: 'guardrail_blocked', content: 'I cannot show this answer.' })
  expect(result.messages.at(-1)).toMatchObject({ meta: { replaced: '{"at":"secret"}' } })
  expect(result.messages.at(-1)?.tool_calls).toBeUndefined()
  expect(seen).toEqual([
    ['', [{ name: 'look', arguments: '{"at":"map"}' }]],
    ['', [{ name: 'look', arguments: '{"at":"secret"}' }]],
  ])
})

test('[C60] an answer that the model would be told to give again is checked too', async () => {
  const { result, asked } = await run({
    messages: [user('u', 'where?')],
    options: { guardrails: { response: [verdict('block')] }, outputSchema: { type: 'object', required: ['city'] } },
  })
  expect(asked).toHaveLength(1)
  expect(result).toMatchObject({ terminalReason: 'guardrail_blocked', outputError: undefined })
})

test('[C60] a guardrail that throws blocks: what was not checked is not let through', async () => {
  const broken = {
    check: () => {
      throw new Error('no rules')
    },
  }
  expect((await guarded({ request: [broken] })).result.terminalReason).toBe('guardrail_blocked')
  expect((await guarded({ response: [broken] })).result).toMatchObject({ content: 'I cannot show this answer.' })
})

test('[C60] guardrails may be one list, each with its phase', async () => {
  const { result } = await guarded([{ phase: 'response', ...verdict('block') }])
  expect(result.messages.at(-1)?.meta.replaced).toBe('Yes.')
})

test('[C60] a guardrail without a check, and two of one name, are mistakes their developer reads', () => {
  expect(() => defineAgent({ guardrails: { request: [{ name: 'pii' } as never] } })).toThrow(/"pii" has nothing to run/)
  const pii = { name: 'pii', ...verdict('allow') }
  expect(() => defineAgent({ guardrails: { request: [pii, pii] } })).toThrow(/Two request guardrails/)
  expect(defineAgent({ guardrails: { request: [pii], response: [pii] } }).guardrails).toBeDefined()
})

function guarded(guardrails: SmartAgentOptions['guardrails']) {
  return run({ messages: [user('u', 'secret')], options: { guardrails } })
}

function verdict(disposition: GuardrailVerdict['disposition'], more: Partial<GuardrailVerdict> = {}) {
  return { check: () => ({ disposition, ...more }) }
}

function user(id: string, content: string): Message {
  return { id, role: 'user', content, meta: { status: 'complete', createdAt: 0 } }
}
