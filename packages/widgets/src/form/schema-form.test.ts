import { expect, test } from 'vitest'
import { english } from '../strings.ts'
import { readTexts, toTexts } from './schema-form.tsx'

const parameters = {
  type: 'object',
  properties: {
    hotel: { type: 'string' },
    nights: { type: 'integer', minimum: 1, maximum: 30 },
    breakfast: { type: 'boolean' },
    bed: { enum: ['single', 'double'] },
    guests: { type: 'array' },
    note: { type: 'string' },
  },
  required: ['hotel'],
}

test('[C49] unchanged, the arguments are read back as they were', () => {
  const args = {
    hotel: 'Casa "do" Rio',
    nights: 3,
    breakfast: false,
    bed: 'double',
    guests: [{ name: 'Ana' }],
    extra: 'x',
  }
  const given = { args, parameters }
  expect(readTexts(toTexts(given), given, english)).toEqual({ args, errors: {} })
})

test('[T5] no name is too odd to be read back', () => {
  const args = JSON.parse('{"__proto__":{"a":1},"constructor":"x","to string":[]}')
  const given = { args, parameters: {} }
  expect(JSON.stringify(readTexts(toTexts(given), given, english).args)).toBe(JSON.stringify(args))
})

test('[C49] an argument the schema does not name is shown, because it is sent', () => {
  expect(toTexts({ args: { secret: 'transfer' }, parameters })).toMatchObject({ secret: 'transfer', hotel: '' })
})

test('[C49] what was left out stays left out, and an emptied text is an empty text', () => {
  const given = { args: { hotel: 'Casa' }, parameters }
  expect(readTexts({ ...toTexts(given), hotel: '' }, given, english)).toEqual({ args: { hotel: '' }, errors: {} })
})

test('[C49] what cannot be read is said at its field', () => {
  const given = { args: { hotel: 'Casa' }, parameters }
  const texts = { ...toTexts(given), nights: 'three', guests: '[{' }
  expect(readTexts(texts, given, english).errors).toEqual({ nights: english.notNumber, guests: english.notJson })
})

test.each([
  [{ nights: '0' }, { nights: english.field.atLeast(1) }],
  [{ nights: '31' }, { nights: english.field.atMost(30) }],
  [{ nights: '1.5' }, { nights: english.field.whole }],
  [{ nights: '"1"' }, { nights: english.notNumber }],
])('[C49] what the schema does not allow is said at its field: %o', (change, errors) => {
  const given = { args: { hotel: 'Casa' }, parameters }
  expect(readTexts({ ...toTexts(given), ...change }, given, english).errors).toEqual(errors)
})

test.each([
  [{ type: 'string', minLength: 2 }, 'a', english.field.least(2)],
  [{ type: 'string', maxLength: 2 }, 'abc', english.field.most(2)],
  [{ type: 'string', format: 'email' }, 'ana at home', english.field.email],
  [{ type: 'string', format: 'uri' }, 'example', english.field.uri],
  [{ type: 'string', format: 'date' }, '14 May', english.field.date],
  [{ type: 'string', format: 'constructor' }, 'anything', undefined],
  [{ oneOf: [{ const: 'a', title: 'A' }] }, 'a', undefined],
])('[K16] by %o, %s is told: %s', (field, text, error) => {
  const { errors } = readTexts({ field: text }, { parameters: { properties: { field } } }, english)
  expect(errors['field']).toBe(error)
})

test('[K16] what is left empty in a form is left out, and needed if it is required', () => {
  const given = { parameters: { properties: { a: { type: 'string' }, b: { type: 'string' } }, required: ['a'] } }
  expect(readTexts({ a: '', b: '' }, given, english)).toEqual({ args: {}, errors: { a: english.field.required } })
})

test('[C49] what is needed and not there is said at its field', () => {
  const given = { args: { nights: 2 }, parameters }
  expect(readTexts(toTexts(given), given, english).errors).toEqual({ hotel: english.field.required })
})
