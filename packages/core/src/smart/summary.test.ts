import { expect, test } from 'vitest'
import { summaryOf, talk, used, user } from './compaction.fixture.ts'
import type { CompactionRecord } from './compaction.ts'
import { parsed, type StructuredSummary } from './summary.ts'

test.each([
  ['plain', summaryOf({ rawSummary: 'Sum.' })],
  ['in a fence', `\`\`\`json\n${summaryOf({})}\n\`\`\``],
  ['with words around it', `Here it is: ${summaryOf({})} Done.`],
  ['with parts missing', '{"rawSummary":"Sum."}'],
])('[C35] a summary is read %s', (_how, text) => {
  expect(parsed(text)).toEqual(JSON.parse(summaryOf({})))
})

test('[C35] a summary in words is taken as words, and silence as none', () => {
  expect(parsed('They want a hotel.')).toMatchObject({ stable_facts: [], rawSummary: 'They want a hotel.' })
  expect(parsed('{broken')).toMatchObject({ rawSummary: '{broken' })
  expect(parsed(' \n')).toBeUndefined()
})

test('[C35] a fact without a confidence is half sure, one out of range is brought into it, and one without a key is none', () => {
  const facts = [
    { key: 'a', value: 1 },
    { key: 'b', value: 'x', confidence: 7 },
    { value: 'lost' },
    null,
    { key: 'c', value: { d: 1 }, confidence: -1 },
  ]
  expect(parsed(JSON.stringify({ stable_facts: facts }))?.stable_facts).toEqual([
    { key: 'a', value: '1', confidence: 0.5 },
    { key: 'b', value: 'x', confidence: 1 },
    { key: 'c', value: '{"d":1}', confidence: 0 },
  ])
})

test('[C35] an important fact the new summary lost is put back, one of no importance may go', async () => {
  const { structuredSummary, integrity } = await summedAfter(
    { stable_facts: [fact('order', '4711'), fact('mood', 'sunny', 0.2)] },
    { stable_facts: [fact('city', 'Lisbon')] },
  )
  expect(structuredSummary?.stable_facts).toEqual([fact('order', '4711'), fact('city', 'Lisbon')])
  expect(integrity).toEqual({ ok: false, lostFacts: ['order'], revivedObsolete: [] })
})

test('[C35] a fact may change its value or be discarded', async () => {
  const { structuredSummary, integrity } = await summedAfter(
    { stable_facts: [fact('city', 'Lisbon'), fact('nights', '3')] },
    { stable_facts: [fact('city', 'Porto')], discarded_obsolete: ['city: Lisbon', 'nights'] },
  )
  expect(structuredSummary?.stable_facts).toEqual([fact('city', 'Porto')])
  expect(integrity?.ok).toBe(true)
})

test('[C35] a discarded fact that comes back is taken out again, and what took its place stays', async () => {
  const { structuredSummary, integrity } = await summedAfter(
    { stable_facts: [fact('city', 'Porto')], discarded_obsolete: ['city: Lisbon', 'nights'] },
    { stable_facts: [fact('city', 'Lisbon'), fact('nights', '3')] },
  )
  expect(structuredSummary).toMatchObject({
    stable_facts: [fact('city', 'Porto')],
    discarded_obsolete: ['city: Lisbon', 'nights'],
  })
  expect(integrity).toEqual({ ok: false, lostFacts: ['city'], revivedObsolete: ['city', 'nights'] })
})

test('[C35] without the check the new summary stands as it is', async () => {
  const { structuredSummary } = await summedAfter({ stable_facts: [fact('order', '4711')] }, {}, false)
  expect(structuredSummary?.stable_facts).toEqual([])
})

test('[C35] when the model fails, the facts of the summary before stay', async () => {
  const { structuredSummary, integrity } = await summedAfter(
    { stable_facts: [fact('order', '4711')] },
    new Error('busy'),
  )
  expect(structuredSummary?.stable_facts).toEqual([fact('order', '4711')])
  expect(structuredSummary?.rawSummary).toContain('look({})')
  expect(integrity).toMatchObject({ ok: true, isLocal: true })
})

function fact(key: string, value: string, confidence = 0.9) {
  return { key, value, confidence }
}

async function summedAfter(
  before: Partial<StructuredSummary>,
  next: Partial<StructuredSummary> | Error,
  integrityCheck = true,
): Promise<CompactionRecord> {
  const long = 'lorem ipsum '.repeat(300)
  const earlier: CompactionRecord = {
    id: 'before',
    upTo: 'u-go',
    summary: 'Before.',
    archived: [],
    trigger: 'auto',
    tokensBefore: 0,
    tokensAfter: 0,
    messagesCompressed: 0,
    structuredSummary: JSON.parse(summaryOf(before)) as StructuredSummary,
  }
  const { head } = await talk({
    messages: [user('go'), ...used('one', long), ...used('two', 'ok')],
    options: { summarization: { summaryTriggerTokens: 500, integrityCheck } },
    entries: [{ type: 'compaction-add', compaction: earlier }],
    summary: next instanceof Error ? next : summaryOf(next),
  })
  return head.compaction!
}
