import { expect, test } from 'vitest'
import type { ToPage } from '../protocol.ts'
import { createPageCalls } from './remote-agent.ts'

test('[G4] a call given up before its page began it is not told as failed: whoever owns it next may run it', async () => {
  const posted: ToPage[] = []
  const told: unknown[] = []
  const calls = createPageCalls((message) => posted.push(message))
  const late = new AbortController()
  const authority = { provenAt: () => 0, confirm: async () => 1 }
  void calls.call({ handle: 'tester/tools/pay/func' }, [], late.signal, authority).then(
    (reply) => told.push(reply),
    (error) => told.push(error),
  )
  late.abort()
  calls.receive({ type: 'call-confirm', id: 1 })
  await new Promise((resolve) => setTimeout(resolve))
  expect(posted.map(({ type }) => type)).toEqual(['call', 'call-abort'])
  expect(told).toEqual([])
})
