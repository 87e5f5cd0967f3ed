import { expect, test } from 'vitest'
import type { Question } from '../permission/request.ts'
import { checkJsonSchema } from '../tools/schema.ts'
import { answeredText, cancelledText, checkAnswers, questionsProblem, questionTool } from './questions.ts'

const area: Question = {
  question: 'Which area?',
  header: 'Area',
  options: [{ label: 'River' }, { label: 'Hills', value: 'up' }],
}
const nights: Question = { question: 'How many nights?', header: 'Nights', required: false }

test('[C52] one to four questions, each with words, a short header and two to twelve options', () => {
  const options = (count: number) => Array.from({ length: count }, (_, index) => ({ label: `Option ${index}` }))
  const fits = (questions: unknown) => checkJsonSchema(questionTool.parameters, { questions }).ok
  expect(fits([area])).toBe(true)
  expect(fits([area, nights, area, nights])).toBe(true)
  expect(fits([{ question: 'x', options: options(12) }])).toBe(true)
  expect(fits([])).toBe(false)
  expect(fits([area, area, area, area, area])).toBe(false)
  expect(fits([{ question: '' }])).toBe(false)
  expect(fits([{ ...area, header: 'x'.repeat(41) }])).toBe(false)
  expect(fits([{ question: 'x', options: options(1) }])).toBe(false)
  expect(fits([{ question: 'x', options: options(13) }])).toBe(false)
})

test('[C52] without free text every question needs options', () => {
  expect(questionsProblem([area], false)).toBeUndefined()
  expect(questionsProblem([area, nights], true)).toBeUndefined()
  expect(questionsProblem([area, nights], false)).toContain('How many nights?')
})

test('[C54] answers are found by question text, by header, or by index', () => {
  const answered = (answers: Parameters<typeof checkAnswers>[1]) => checkAnswers([area, nights], answers, true)
  const expected = [{ question: 'Which area?', values: ['River'] }, { freeText: 'three' }]
  expect(answered({ 'Which area?': river, 'How many nights?': three })).toMatchObject(expected)
  expect(answered({ Area: river, Nights: three })).toMatchObject(expected)
  expect(answered([river, three])).toMatchObject(expected)
})

test('[C54] two questions with the same words are told apart by index', () => {
  const twins = [area, { ...area, header: 'Other' }]
  expect(checkAnswers(twins, [river, { values: ['up'] }], false)).toMatchObject([
    { values: ['River'] },
    { values: ['up'] },
  ])
})

test('[C54] an answer must be given where it is required, and may be left out where it is not', () => {
  expect(() => checkAnswers([area], {}, true)).toThrow('"Which area?": an answer is required.')
  expect(() => checkAnswers([area], [{ values: [], freeText: '  ' }], true)).toThrow('required')
  expect(checkAnswers([nights], {}, true)).toMatchObject([{ values: [] }])
})

test('[C54] one option of one, unless several may be chosen', () => {
  const both = [{ values: ['River', 'up'] }]
  expect(() => checkAnswers([area], both, false)).toThrow('only one option')
  expect(checkAnswers([{ ...area, multiSelect: true }], both, false)).toMatchObject([{ values: ['River', 'up'] }])
})

test('[C54] an option is known by its value; an unknown one is refused unless free text is allowed', () => {
  expect(() => checkAnswers([area], [{ values: ['Hills'] }], false)).toThrow('not one of the options')
  expect(checkAnswers([area], [{ values: ['Sea'] }], true)).toMatchObject([{ values: ['Sea'] }])
  expect(() => checkAnswers([area], [{ values: [], freeText: 'Sea' }], false)).toThrow('free text is switched off')
})

test('[C54] what is no answer at all is refused in words, not in a stack', () => {
  expect(() => checkAnswers([area], undefined as never, true)).toThrow('an answer is required')
  expect(() => checkAnswers([area], { 'Which area?': 'River' } as never, true)).toThrow('{ values: […]')
})

test('[T14] a question named like a member of every object has no answer until one is given', () => {
  expect(() => checkAnswers([{ question: 'constructor' }], {}, true)).toThrow('required')
})

test('[C54] the model reads the answers with their questions, or that the person chose not to answer', () => {
  const [answer] = checkAnswers([area], [{ values: ['River'], notes: 'near a tram' }], false)
  expect(JSON.parse(answeredText([answer!], 'be quick'))).toEqual({
    status: 'answered',
    answers: [{ question: 'Which area?', header: 'Area', values: ['River'], notes: 'near a tram' }],
    reviewerNotes: 'be quick',
  })
  expect(JSON.parse(cancelledText)).toMatchObject({ status: 'cancelled', message: expect.any(String) })
})

const river = { values: ['River'] }
const three = { values: [], freeText: 'three' }
