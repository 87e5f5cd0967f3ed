import { expect, test } from 'vitest'
import { english } from '../strings.ts'
import { readTexts, toTexts } from './argument-form.tsx'

const parameters = {
  type: 'object',
  properties: {
    hotel: { type: 'string' },
    nights: { type: 'integer' },
    breakfast: { type: 'boolean' },
    bed: { enum: ['single', 'double'] },
    guests: { type: 'array' },
    note: { type: 'string' },
  },
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

test('[C49] an argument the schema does not name is shown, because it is sent', () => {
  expect(toTexts({ args: { secret: 'transfer' }, parameters })).toMatchObject({ secret: 'transfer', hotel: '' })
})

test('[C49] what was left out stays left out, and an emptied text is an empty text', () => {
  const given = { args: { hotel: 'Casa' }, parameters }
  expect(readTexts({ ...toTexts(given), hotel: '' }, given, english)).toEqual({ args: { hotel: '' }, errors: {} })
})

test('[C49] what cannot be read is said at its field', () => {
  const given = { args: {}, parameters }
  const texts = { ...toTexts(given), nights: 'three', guests: '[{' }
  expect(readTexts(texts, given, english).errors).toEqual({ nights: english.notNumber, guests: english.notJson })
})
