/** Every call has one result, and it is the truth: what the tool said, what a person found, or that nobody knows. */
import type { Entry, EntryOf } from '@dogear/core'
import type { Ledger } from './ledger.ts'
import { onTheStatement } from './person.ts'
import type { Story } from './story.ts'
import { receiptOf, timeout } from './tools.ts'

export function checkCalls(entries: readonly Entry[], ledger: Ledger, { isRestless }: Story): void {
  const { violated } = ledger
  const results = entriesOf(entries, 'tool-result')
  for (const { call } of entriesOf(entries, 'call-request')) {
    const count = results.filter(({ callId }) => callId === call.callId).length
    if (count !== 1) violated(`[G4] call ${call.callId} has ${count} results`)
    checkIntents(call.callId, call.tool, entries, ledger)
  }
  for (const entry of results) {
    const { callId, result } = entry
    const lie = lieIn(entry, entries, ledger)
    // A person who stops a turn leaves calls that did not run, or of which nobody knows.
    const isStopped = isRestless && result.status === 'stopped'
    if (lie && !isStopped) violated(`[G4] ${result.tool} ${callId}, ${result.status}: ${lie} "${result.content}"`)
  }
}

/** [G4] What must not run twice is tried again only once a person was asked. */
function checkIntents(callId: string, tool: string, entries: readonly Entry[], { violated }: Ledger): void {
  if (tool !== 'pay' && tool !== 'book') return
  const intents = entriesOf(entries, 'tool-intent').filter((intent) => intent.callId === callId)
  const isAsked = (from: number, to: number) => outcomesOf(entries.slice(from, to), callId).length > 0
  for (const [index, intent] of intents.slice(1).entries()) {
    if (!isAsked(intents[index]!.seq, intent.seq)) violated(`[G4] ${tool} ${callId} was tried again, and nobody asked`)
  }
}

const effectful = new Set(['pay', 'book', 'mail', 'note', 'scroll'])

/** Why the result is not to be believed. */
function lieIn(entry: EntryOf<'tool-result'>, entries: readonly Entry[], ledger: Ledger): string | undefined {
  const { callId, result } = entry
  const { tool, status, content } = result
  if (tool === 'ask_user_question') return undefined
  const happened = ledger.effects.some((effect) => effect.callId === callId)
  const intent = entriesOf(entries, 'tool-intent').findLast((each) => each.callId === callId)
  if (happened && !intent) return 'it happened without an intent, and reads'
  const said = ledger.replies.flatMap((reply) => (reply.callId === callId ? [reply.text] : []))
  switch (status) {
    case 'complete': {
      if (effectful.has(tool) && !happened) return 'it never happened, and reads'
      if (tool === 'mail') said.push(receiptOf(`s1:${callId}`))
      if (outcomesOf(entries, callId).length > 0) said.push(onTheStatement(callId))
      return said.includes(content) ? undefined : 'nobody ever said'
    }
    case 'error': {
      if (content.includes('did not answer within')) return lateLie(entry, intent, ledger)
      if (content.includes('an earlier try took effect is not known')) return undefined
      if (content.includes('Nothing was run') || ledger.rotten.has(callId))
        return happened ? 'it happened, and reads' : undefined
      return said.some((text) => content === `Error executing tool: ${text}`) ? undefined : 'nobody ever said'
    }
    case 'stopped':
      return tool === 'scroll' && intent && intent.epoch < entry.epoch
        ? undefined
        : 'its page is still there, and it reads'
    case 'rejected':
    case 'skipped':
      return happened || tool !== 'book' ? 'nobody said no, and it reads' : undefined
  }
}

/** [G14] A call is late by time that passed, and by no clock. */
function lateLie({ seq }: EntryOf<'tool-result'>, intent: EntryOf<'tool-intent'> | undefined, { committedAt }: Ledger) {
  const isLate = intent && committedAt[seq]! - committedAt[intent.seq]! >= timeout
  return isLate ? undefined : '[G14] it had time left, and reads'
}

function outcomesOf(entries: readonly Entry[], callId: string): EntryOf<'request-open'>[] {
  const opened = entriesOf(entries, 'request-open')
  return opened.filter(({ request }) => request.callId === callId && request.kind === 'outcome')
}

function entriesOf<T extends Entry['type']>(entries: readonly Entry[], type: T): EntryOf<T>[] {
  return entries.filter((entry): entry is EntryOf<T> => entry.type === type)
}
