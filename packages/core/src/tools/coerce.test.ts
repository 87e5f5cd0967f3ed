import { expect, test } from 'vitest'
import { coerceArgs, expectedText } from './coerce.ts'

const schema = {
  type: 'object',
  properties: {
    nights: { type: 'integer' },
    price: { type: 'number' },
    quiet: { type: 'boolean' },
    hotel: { type: 'string' },
    guests: { type: 'array', items: { type: 'integer' } },
    view: { type: 'object', properties: { sea: { type: 'boolean' } } },
    from: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
    near: { $ref: '#/$defs/place' },
    mood: { type: 'string', enum: ['calm', 'lively'] },
  },
  required: ['nights'],
  $defs: { place: { type: 'object', properties: { lat: { type: 'number' } }, required: ['lat'] } },
}

test.each<[string, unknown, unknown]>([
  ['a number in quotes', { nights: '60' }, { nights: 60 }],
  ['a negative fraction in quotes', { nights: 1, price: ' -1.5e2 ' }, { nights: 1, price: -150 }],
  ['a boolean in quotes', { nights: 1, quiet: 'True' }, { nights: 1, quiet: true }],
  ['an object in quotes', { nights: 1, view: '{"sea":"true"}' }, { nights: 1, view: { sea: true } }],
  ['an array in quotes', { nights: 1, guests: '["2",3]' }, { nights: 1, guests: [2, 3] }],
  ['one value in place of an array', { nights: 1, guests: '2' }, { nights: 1, guests: [2] }],
  ['nothing for what may be left out', { nights: 1, quiet: '', price: null, mood: '' }, { nights: 1 }],
  ['a form among several', { nights: 1, from: '7' }, { nights: 1, from: 7 }],
  ['a part that is referred to', { nights: 1, near: { lat: '38.7' } }, { nights: 1, near: { lat: 38.7 } }],
  ['an envelope', { input: { nights: '2' } }, { nights: 2 }],
  ['an envelope in quotes', { args: '{"nights":2}' }, { nights: 2 }],
])('[C14] %s becomes what was meant', (_what, args, meant) => {
  expect(coerceArgs(schema, args)).toEqual(meant)
})

test.each<[string, unknown]>([
  ['a text where text is asked for', { nights: 1, hotel: '60' }],
  ['an empty text where text is asked for', { nights: 1, hotel: '' }],
  ['nothing for what is required', { nights: '' }],
  ['words that are no number', { nights: 'three' }],
  ['half a number', { nights: '3 nights' }],
  ['hexadecimal', { nights: '0x10' }],
  ['yes for true', { nights: 1, quiet: 'yes' }],
  ['broken JSON', { nights: 1, view: '{sea' }],
  ['a missing argument', {}],
  ['an envelope with something beside it', { input: { nights: 2 }, hotel: 'any' }],
  ['no object', null],
])('[C14] %s stays as it is: nothing is invented', (_what, args) => {
  expect(coerceArgs(schema, args)).toEqual(args)
})

test('[C14] a parameter that is called input is no envelope', () => {
  const own = { type: 'object', properties: { input: { type: 'object' } }, required: ['input'] }
  expect(coerceArgs(own, { input: { nights: 2 } })).toEqual({ input: { nights: 2 } })
})

test('[C14] what is expected is said by name and type', () => {
  expect(expectedText(schema)).toContain('{ nights: integer, price?: number, quiet?: boolean, hotel?: string')
  expect(expectedText(schema)).toContain('mood?: calm | lively }')
  expect(expectedText({ type: 'object' })).toBe('It takes no arguments.')
})
