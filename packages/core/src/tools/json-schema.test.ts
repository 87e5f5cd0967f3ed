import { Validator } from '@cfworker/json-schema'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { schemaIssues, type JsonSchema } from './json-schema.ts'

test('an issue names its path and what to do', () => {
  const schema = {
    type: 'object',
    properties: {
      hotel: { type: 'string' },
      nights: { type: 'integer', minimum: 1 },
      guests: { type: 'array', items: { type: 'string' } },
    },
    required: ['hotel'],
    additionalProperties: false,
  }
  expect(schemaIssues(schema, { nights: 0, guests: ['a', 2], extra: 1 })).toEqual([
    'hotel is missing',
    'nights: must be at least 1',
    'guests.1: must be string, not number',
    'extra: is not allowed',
  ])
  expect(schemaIssues(schema, { hotel: 'Casa do Rio', nights: 3 })).toEqual([])
})

test('a schema may refer to its own parts, and one that refers to itself for ever ends', () => {
  const tree = {
    $defs: { node: { properties: { next: { $ref: '#/$defs/node' }, size: { type: 'number' } } } },
    $ref: '#/$defs/node',
  }
  expect(schemaIssues(tree, { next: { next: { size: 'x' } } })).toEqual(['next.next.size: must be number, not string'])
  expect(schemaIssues({ $ref: '#' }, 1)).toEqual(['is nested too deeply'])
})

test('[T14] own keys named like prototype members are checked as the data they are', () => {
  const value: unknown = JSON.parse('{"__proto__": 1, "constructor": 2}')
  expect(schemaIssues({ properties: { a: {} }, additionalProperties: false }, value)).toHaveLength(2)
  expect(schemaIssues({ required: ['toString'] }, {})).toEqual(['toString is missing'])
})

test('any schema judges any value as an independent validator does', () => {
  fc.assert(
    fc.property(anySchema, anyValue, (schema, value) => {
      const reference = new Validator(schema as never, '2020-12').validate(value).valid
      expect(schemaIssues(schema as JsonSchema, value).length === 0).toBe(reference)
    }),
    { numRuns: 500 },
  )
})

const key = fc.constantFrom('a', 'b', 'c')
const leaf = fc.oneof(fc.integer({ min: -4, max: 4 }), fc.constantFrom('', 'a', 'ab', '𝒳𝒳', null, true, false, 0.5))
const anyValue = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 2 },
    leaf,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(key, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value

const type = fc.constantFrom('string', 'number', 'integer', 'boolean', 'null', 'array', 'object')
const small = fc.integer({ min: 0, max: 3 })
const anySchema = fc.letrec((tie) => ({
  schema: fc.oneof(
    { maxDepth: 2 },
    fc.record(
      {
        type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 2 })),
        enum: fc.array(leaf, { minLength: 1, maxLength: 3 }),
        minimum: small,
        exclusiveMaximum: small,
        multipleOf: fc.constantFrom(1, 2, 0.5),
        minLength: small,
        maxLength: small,
        pattern: fc.constantFrom('^a', 'b$'),
        minItems: small,
        maxItems: small,
        uniqueItems: fc.boolean(),
        minProperties: small,
        required: fc.uniqueArray(key, { maxLength: 2 }),
      },
      { requiredKeys: [], noNullPrototype: true },
    ),
    fc.record(
      {
        properties: fc.dictionary(key, tie('schema'), { maxKeys: 2, noNullPrototype: true }),
        patternProperties: fc.record({ '^a': tie('schema') }, { noNullPrototype: true }),
        additionalProperties: fc.oneof(fc.boolean(), tie('schema')),
        propertyNames: fc.record({ maxLength: small }, { noNullPrototype: true }),
        items: fc.oneof(fc.boolean(), tie('schema')),
        prefixItems: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
        contains: tie('schema'),
        allOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
        anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
        oneOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
        not: tie('schema'),
        if: tie('schema'),
        then: tie('schema'),
        else: tie('schema'),
        dependentRequired: fc.dictionary(key, fc.uniqueArray(key, { maxLength: 2 }), {
          maxKeys: 2,
          noNullPrototype: true,
        }),
      },
      { requiredKeys: [], noNullPrototype: true },
    ),
  ),
})).schema
