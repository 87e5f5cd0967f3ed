import type { Snapshot } from '@dogear/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkSnapshot } from './snapshots.ts'

const hello = { id: 'a', role: 'user', content: 'hello', meta: { status: 'complete', createdAt: 0 } }

test('[C42] a snapshot from a file opens as it was taken', () => {
  const plan = { version: 1, steps: [{ id: 1, step: 'Look', status: 'completed' }], lastUpdated: 0, adherenceScore: 1 }
  const given = snapshot({ messages: [hello], plan, title: 'Lisbon' })
  expect(checkSnapshot(JSON.parse(JSON.stringify(given)) as Snapshot, 'tester')).toEqual({
    messages: [hello],
    plan,
    title: 'Lisbon',
    from: 's',
    settings: {},
    queue: [],
  })
})

test.each([
  ['nothing', undefined],
  ['another schema', { ...snapshot({ messages: [] }), schemaVersion: 2 }],
  ['no messages', snapshot({})],
  ['a message of no known role', snapshot({ messages: [{ ...hello, role: 'root' }] })],
  ['a message without meta', snapshot({ messages: [{ ...hello, meta: null }] })],
  ['content that is a number', snapshot({ messages: [{ ...hello, content: 7 }] })],
  ['calls that are no calls', snapshot({ messages: [{ ...hello, tool_calls: [{ id: 'c' }] }] })],
  [
    'a part that is no text and no image',
    snapshot({ messages: [{ ...hello, content: [{ type: 'file', file: {} }] }] }),
  ],
  ['a time that is none', snapshot({ messages: [{ ...hello, meta: { ...hello.meta, createdAt: 'now' } }] })],
])('[T17] a snapshot with %s is refused before anything is written', (_what, given) => {
  expect(() => checkSnapshot(given as Snapshot, 'tester')).toThrow(
    expect.objectContaining({ code: 'snapshot-invalid' }),
  )
})

test('[T17] a message that cannot be read is named, and so is what is wrong with it', () => {
  const given = snapshot({ messages: [hello, { ...hello, id: 'b', content: [{ type: 'file', file: {} }] }] })
  expect(() => checkSnapshot(given as Snapshot, 'tester')).toThrow(
    'Message 2 of the snapshot cannot be read: its content',
  )
})

test('[C42] messages as providers write them are taken, each under an id of its own', () => {
  const call = { id: 'c', name: 'look', args: { at: 1 } }
  const messages = [
    { role: 'user', content: 'hi' },
    { role: 'assistant', tool_calls: [call] },
    { role: 'tool', tool_call_id: 'c', content: 'seen', meta: {} },
    hello,
    hello,
  ]
  const checked = checkSnapshot(snapshot({ messages }) as Snapshot, 'tester').messages
  const meta = { status: 'complete', createdAt: 0 }
  expect(checked).toMatchObject([
    { id: 'm0', content: 'hi', meta },
    { id: 'm1', content: null, tool_calls: [{ id: 'c', function: { name: 'look', arguments: '{"at":1}' } }], meta },
    { id: 'm2', tool_call_id: 'c', meta },
    hello,
    { ...hello, id: 'a_2' },
  ])
})

test('[C42] a snapshot that does not say of which agent it is opens with any', () => {
  const { runtimeHint: _hint, ...given } = snapshot({ messages: [hello] })
  expect(checkSnapshot(given as unknown as Snapshot, 'other').messages).toEqual([hello])
})

test('[T17] a plan or a title that cannot be read is left out', () => {
  const given = snapshot({ messages: [hello], plan: { steps: ['x'] }, title: { toString: 1 } })
  expect(checkSnapshot(given as Snapshot, 'tester')).toMatchObject({ plan: null, title: undefined })
})

test('a snapshot of another agent names both', () => {
  expect(() => checkSnapshot(snapshot({ messages: [] }) as Snapshot, 'other')).toThrow('"tester", not "other"')
})

test('[T17] anything at all is read or refused, never more', () => {
  fc.assert(
    fc.property(fc.anything(), fc.anything(), (messages, plan) => {
      try {
        checkSnapshot(snapshot({ messages, plan }) as Snapshot, 'tester')
      } catch (error) {
        expect(error).toMatchObject({ name: 'DogearError' })
      }
    }),
  )
})

function snapshot(state: object) {
  return {
    schemaVersion: 1,
    state,
    runtimeHint: { name: 'tester', tools: [] },
    metadata: { createdAt: 0, tag: 't', sessionId: 's', paused: false },
  }
}
