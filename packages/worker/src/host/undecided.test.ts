import { type NewEntry, type Request } from '@dogear/core'
import { expect, test } from 'vitest'
import { undecidedWork } from './undecided.ts'

const at = { path: ['c'], turnId: 'c' }
const intent: NewEntry = { type: 'tool-intent', callId: 'x', argsHash: 'h', attempt: 1, key: 'k', ...at }
const imported: NewEntry = { ...intent, attempt: 0 }
const asks: NewEntry = { type: 'request-open', request: request({}), ...at }
const inside: NewEntry = { type: 'request-open', request: request({ entered: { asks: {} as never, args: {} } }), ...at }
const yes: NewEntry = {
  type: 'request-close',
  requestId: 'x.approval',
  status: 'approved',
  resolution: { type: 'approve' },
  ...at,
}
const result: NewEntry = {
  type: 'tool-result',
  callId: 'x',
  result: { status: 'complete', content: '', tool: 'book', args: {} },
  ...at,
}

test.each<[string, NewEntry[], NewEntry[]]>([
  ['is approved', [asks, yes], [asks]],
  ['runs after a yes', [asks, yes, intent], [imported]],
  ['runs', [intent], [imported]],
  ['nobody knows about', [intent, asks], [imported, asks]],
  ['asks itself', [intent, inside], []],
  ['asked itself and has its yes', [intent, inside, yes], []],
  ['asked itself and runs', [intent, inside, yes, intent], [imported]],
  ['is done', [asks, yes, intent, result], [asks, intent, result]],
])('[T17] of a worker’s call that %s a file brings no decision', (_what, given, kept) => {
  const copies = given.map((entry) => ({ ...entry }))
  expect(undecidedWork(copies)).toEqual(kept)
})

test('[T17] a worker without entries brings none', () => {
  expect(undecidedWork(undefined)).toEqual([])
})

function request(about: Partial<Request>): Request {
  return {
    id: 'x.approval',
    kind: 'approval',
    openedAt: 1,
    callId: 'x',
    tool: 'book',
    args: {},
    argsHash: 'h',
    destructive: false,
    ...about,
  }
}
