import { expect, test } from 'vitest'
import { databaseName } from './database-name.ts'

test('[T16] no two users share a name, however they are spelled', () => {
  const users = [
    undefined,
    '',
    ' ',
    'ann',
    'Ann',
    'a:n',
    'a/n',
    'a%002fn',
    'a%n',
    '\ud83d',
    '\ude00',
    '\ud83d\ude00',
    'ä',
    'a\u0308',
  ]
  expect(new Set(users.map((user) => databaseName(user))).size).toBe(users.length)
})

test('a plain user id stays readable', () => {
  expect(databaseName()).toBe('dogear')
  expect(databaseName('ann.lee@example.com')).toBe('dogear:ann.lee@example.com')
})
