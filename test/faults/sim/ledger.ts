/** The auditor's book, outside of the system: what happened in the world, what was promised, what was paid. */
import { createHash } from 'node:crypto'
import type { Batch, Entry, Message } from '@dogear/core'
import { positionOf } from './story.ts'

export interface Effect {
  readonly callId: string
  readonly key: string
  readonly tool: string
  readonly args: unknown
}

/** What a tool told whoever called it: a receipt, or what broke. */
export interface Reply {
  readonly callId: string
  readonly text: string
}

export interface Promised {
  readonly type: string
  readonly words?: string
}

export interface Ledger {
  readonly effects: readonly Effect[]
  readonly replies: readonly Reply[]
  /** Commands a page was told are saved. */
  readonly promised: ReadonlyMap<string, Promised>
  /** Entries a page has shown, by seq. */
  readonly shown: ReadonlyMap<number, string>
  /** When each entry was committed, by seq: by time that passed, whatever the clocks said. */
  readonly committedAt: readonly number[]
  readonly violations: readonly string[]
  /** The newest epoch, and how many entries are committed. */
  epoch(): number
  seq(): number
  acquired(epoch: number): void
  appended(batch: Batch): void
  didEffect(effect: Effect): void
  replied(reply: Reply): void
  promise(commandId: string, promised: Promised): void
  show(entry: Entry): void
  /** The owner died and left its page in a call: nobody is to be asked about it for as long as that `isGoingOn`. */
  deserted(callId: string, isGoingOn: () => boolean): void
  /** A person said yes to a call with these arguments. */
  approved(callId: string, args: unknown): void
  /** An answer was begun for these messages. */
  pay(messages: readonly Message[], epoch: number): void
  /** An answer that was begun can be had no more: to ask for it again costs again. */
  lostAnswer(): void
  /** A result was written to a full disk, into the room kept for it. */
  wroteAtQuota(): void
  /** What an owner that was fenced learnt too late was kept for the next. */
  keptEvidence(): void
  /** How often each of the two happened. */
  atQuota(): number
  evidence(): number
  /** A fact was not kept, and whoever wanted it kept was told so. */
  forgot(key: string): void
  readonly forgotten: ReadonlySet<string>
  /** What the person approved of this call is no longer what is on the disk. */
  rot(callId: string): void
  readonly rotten: ReadonlySet<string>
  violated(rule: string): void
}

export function createLedger(elapsed: () => number): Ledger {
  const effects: Effect[] = []
  const replies: Reply[] = []
  const committedAt: number[] = []
  const promised = new Map<string, Promised>()
  const shown = new Map<number, string>()
  const violations: string[] = []
  const intents = new Map<string, { readonly argsHash: string; readonly key: string }>()
  const approvals = new Map<string, Set<string>>()
  const deserted = new Map<string, () => boolean>()
  const answered = new Set<string>()
  const forgotten = new Set<string>()
  const rotten = new Set<string>()
  const paid = new Set<string>()
  let turn: string | undefined
  let step = 0
  let epoch = 0
  let seq = 0
  let atQuota = 0
  let evidence = 0

  function violated(rule: string): void {
    if (violations.length < 20) violations.push(rule)
  }

  function note(entry: Entry): void {
    if (entry.type === 'tool-intent') intents.set(entry.callId, { argsHash: entry.argsHash, key: entry.key })
    if (entry.type === 'request-open' && entry.request.kind === 'outcome' && deserted.get(entry.request.callId)?.()) {
      violated(`[G4] ${entry.request.callId} is asked about although its page is in it, and only a worker died`)
    }
    // A turn that failed or was stopped is asked for anew.
    if (entry.type === 'turn-end' && entry.terminalReason !== 'completed') paid.clear()
    if (entry.type !== 'message-add' || entry.path.length) return
    const { role, content, meta, tool_calls: calls } = entry.message
    if (role === 'user' && typeof content === 'string') {
      turn = content
      step = 0
    }
    if (role !== 'assistant' || meta.status !== 'complete') return
    answered.add(`${turn} ${step}`)
    if (calls) step += 1
  }

  return {
    effects,
    replies,
    committedAt,
    promised,
    shown,
    violations,
    epoch: () => epoch,
    seq: () => seq,
    acquired: (next) => void (epoch = Math.max(epoch, next)),
    appended(batch) {
      // A write that was made again: it stands there already.
      if (batch.expectedSeq !== seq) return
      if (batch.epoch !== epoch) violated(`[G6] epoch ${batch.epoch} wrote ${seq} although epoch ${epoch} had begun`)
      seq += batch.entries.length
      for (const { seq: at } of batch.entries) committedAt[at] = elapsed()
      batch.entries.forEach(note)
    },
    didEffect(effect) {
      const { callId, key, tool, args } = effect
      effects.push(effect)
      const intent = intents.get(callId)
      const hash = hashOf(tool, args)
      if (!intent) return violated(`[G3] ${tool} ${callId} took effect before its intent was committed`)
      if (intent.key !== key) violated(`[G4] ${tool} ${callId} ran under ${key}, its intent says ${intent.key}`)
      if (intent.argsHash !== hash) violated(`[G5] ${tool} ${callId} ran with other arguments than its intent says`)
      if (tool === 'book' && !approvals.get(callId)?.has(hash)) {
        violated(`[G5] ${tool} ${callId} ran with ${JSON.stringify(args)}, which nobody approved`)
      }
    },
    replied: (reply) => void replies.push(reply),
    promise: (commandId, what) => void promised.set(commandId, what),
    show(entry) {
      const before = shown.get(entry.seq)
      if (before !== undefined && before !== entry.id) {
        violated(`[G2] seq ${entry.seq} was shown as ${before} and as ${entry.id}`)
      }
      shown.set(entry.seq, entry.id)
    },
    deserted: (callId, isGoingOn) => void deserted.set(callId, isGoingOn),
    approved(callId, args) {
      if (!approvals.has(callId)) approvals.set(callId, new Set())
      approvals.get(callId)?.add(hashOf('book', args))
    },
    pay(messages, by) {
      const { words, step: asked } = positionOf(messages)
      const place = `${words} ${asked}`
      // A host that is fenced and does not know it yet may still ask: what it is told goes nowhere.
      if (by !== epoch) return
      if (paid.has(place)) violated(`[G7] the answer to "${words}", step ${asked} was paid for twice`)
      paid.add(place)
      if (answered.has(place)) {
        violated(`[G7] the answer to "${words}", step ${asked} was paid for after it was committed`)
      }
    },
    lostAnswer: () => paid.clear(),
    wroteAtQuota: () => void (atQuota += 1),
    keptEvidence: () => void (evidence += 1),
    forgot: (key) => void forgotten.add(key),
    forgotten,
    rot: (callId) => void rotten.add(callId),
    rotten,
    atQuota: () => atQuota,
    evidence: () => evidence,
    violated,
  }
}

/** By the auditor's own reckoning, not the product's. */
export function hashOf(tool: string, args: unknown): string {
  return createHash('sha256')
    .update(`[${JSON.stringify(tool)},${sorted(args)}]`)
    .digest('hex')
}

function sorted(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : item,
  )
}
