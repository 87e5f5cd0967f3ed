/** The disk: one real store that outlives every tab, and each worker's connection to it, which may fail, lag or break off. */
import {
  DogearError,
  type Batch,
  type Command,
  type Entry,
  type MemoryFact,
  type MemoryStore,
  type SessionRecord,
  type Store,
} from '@dogear/core'
import { openMemoryStore } from '@dogear/store'
import type { Fault } from './chaos.ts'
import { copied } from './copied.ts'
import type { Mortal, World } from './world.ts'

export interface Disk {
  /** As the auditor finds it. */
  readonly store: Store
  connect(worker: Mortal): Connection
}

export interface Connection {
  readonly store: Store
  /** The epoch this worker drives under, 0 when it never owned the session. */
  epoch(): number
  /** The worker is dead: some of what it was writing gets committed, in order, and the rest never. */
  breakOff(): void
}

interface Operation {
  readonly name: Method
  readonly args: readonly unknown[]
  isOver: boolean
}

type Method = Exclude<keyof Store, 'memory' | 'close'> | `memory.${keyof MemoryStore}`

const writes: ReadonlySet<Method> = new Set<Method>([
  'acquire',
  'append',
  'send',
  'saveHead',
  'savePartial',
  'saveSide',
  'saveSnapshot',
  'swapSide',
  'saveRule',
  'deleteRule',
  'memory.upsert',
  'memory.markObsolete',
  'delete',
  'clear',
])

const readFaults: readonly Fault[] = ['failed', 'blocked', 'slow']
const writeFaults: readonly Fault[] = ['full', 'blocked', 'failed', 'committed-failed', 'redone', 'slow']

export function createDisk(world: World): Disk {
  const { time, random, ledger } = world
  const kept = openMemoryStore()
  /** Entries whose bytes have changed since they were written, by seq. */
  const rotten = new Map<number, Entry>()
  let fullUntil = 0
  /** What was given back of the room kept for results, while the disk is full. */
  let room = 0

  const store = wrapped(kept, async (name, args) => asRead(await perform(kept, name, args)))

  function asRead(value: unknown): unknown {
    if (rotten.size === 0 || !Array.isArray(value)) return value
    return value.map((item: Entry) => (item.id !== undefined && rotten.get(item.seq)) || item)
  }

  /** The request of a call that was just approved: its arguments change, as a bad sector or another script may do it. */
  function rot(approved: Entry): void {
    if (approved.type !== 'request-close') return
    void kept.entries(approvedIn, 0).then((entries) => {
      const opened = entries.find((entry) => entry.type === 'request-open' && entry.request.id === approved.requestId)
      if (opened?.type !== 'request-open') return
      ledger.rot(opened.request.callId)
      rotten.set(opened.seq, { ...opened, request: { ...opened.request, args: { of: 'rotten' } } })
    })
  }

  function connect(worker: Mortal): Connection {
    const inFlight: Operation[] = []
    let committedAt = 0
    let answeredAt = 0
    let epoch = 0

    function finish(operation: Operation): void {
      operation.isOver = true
      const at = inFlight.indexOf(operation)
      if (at >= 0) inFlight.splice(at, 1)
    }

    async function carryOut(operation: Operation): Promise<unknown> {
      finish(operation)
      const { name, args } = operation
      const value = await perform(kept, name, args)
      if (name === 'acquire') {
        epoch = (value as SessionRecord).epoch
        ledger.acquired(epoch)
      }
      if (name === 'saveSide' && args[0] === 'evidence') ledger.keptEvidence()
      if (name === 'append' && value === 'appended') ledger.appended(args[0] as Batch)
      return asRead(value)
    }

    function ask(name: Method, args: readonly unknown[]): Promise<unknown> {
      return new Promise((resolve, reject) => {
        if (worker.isDead()) return
        const operation: Operation = { name, args: writes.has(name) ? copied(args) : args, isOver: false }
        inFlight.push(operation)
        const fault = world.point(worker, `store.${name}`, menuFor(operation))
        if (operation.isOver || worker.isDead()) return
        if (fault === 'full') fullUntil = time.elapsed() + random.between(1, 30_000)
        const wait = fault === 'slow' ? random.between(1000, 20_000) : world.latency()
        committedAt = Math.max(committedAt, time.elapsed() + wait)
        time.after(committedAt - time.elapsed(), world.outside, () => void commit(operation, fault).then(...answer))

        const answer = [
          (value: unknown) => later(() => resolve(value)),
          (error: unknown) => later(() => reject(error)),
        ] as const

        function later(tell: () => void): void {
          answeredAt = Math.max(answeredAt, time.elapsed() + world.latency())
          time.after(answeredAt - time.elapsed(), worker, () => {
            const late = world.point(worker, `store.${name} done`, lateMenu(operation))
            if (late === 'quota') fullUntil = time.elapsed() + random.between(5_000, 30_000)
            if (late === 'bit-rot') {
              rot((args[0] as Batch).entries.find(isApproval)!)
              worker.strike('kill-tab')
            }
            if (!worker.isDead()) tell()
          })
        }
      })
    }

    function fits({ name, args }: Operation): boolean {
      const isReport = name === 'send' && (args[0] as Command).type === 'report'
      if ((name !== 'append' && !isReport) || room === 0) return false
      room -= 1
      if (isReport) return true
      if ((args[0] as Batch).entries.some(({ type }) => type === 'tool-result')) ledger.wroteAtQuota()
      return true
    }

    async function commit(operation: Operation, fault: Fault | undefined): Promise<unknown> {
      if (fault === 'hangs') finish(operation)
      if (operation.name === 'memory.upsert' && fault === 'hangs') ledger.forgot(factOf(operation).key)
      if (operation.isOver) return new Promise(() => {})
      const isFull = !world.isHealed() && time.elapsed() < fullUntil && grows(operation) && !fits(operation)
      const problem = isFull ? 'full' : fault
      if (problem === 'full' || problem === 'blocked' || problem === 'failed') {
        finish(operation)
        if (operation.name === 'memory.upsert') ledger.forgot(factOf(operation).key)
        throw storageError(problem)
      }
      if (freesBallast(operation)) room += 1
      const value = await carryOut(operation)
      if (problem === 'committed-failed') throw storageError('failed')
      if (problem === 'redone') return carryOut({ ...operation })
      return value
    }

    return {
      store: wrapped(kept, ask),
      epoch: () => epoch,
      breakOff() {
        const written = inFlight.filter(({ name }) => writes.has(name))
        const committed = world.committed(written.length)
        for (const operation of written.slice(0, committed)) void carryOut(operation)
        for (const operation of inFlight) operation.isOver = true
        if (written.length) world.log(() => `      ${committed} of ${written.length} writes in flight were committed`)
      },
    }
  }

  return { store, connect }
}

const approvedIn = 's1'

/** Every method asked through `ask`, but those that are no messages to a disk. */
function wrapped(kept: Store, ask: (name: Method, args: readonly unknown[]) => Promise<unknown>): Store {
  return new Proxy(kept, {
    get(target, name: keyof Store) {
      if (name === 'close') return () => {}
      if (name === 'memory') return () => memoryThrough(ask)
      if (typeof target[name] !== 'function') return undefined
      return (...args: unknown[]) => ask(name, args)
    },
  })
}

function memoryThrough(ask: (name: Method, args: readonly unknown[]) => Promise<unknown>): MemoryStore {
  const through =
    (name: keyof MemoryStore) =>
    (...args: unknown[]) =>
      ask(`memory.${name}`, args)
  const names = ['get', 'upsert', 'markObsolete', 'semanticSearch', 'list'] as const
  // The cast: each takes and gives what the method of its name does.
  return Object.fromEntries(names.map((name) => [name, through(name)])) as unknown as MemoryStore
}

function perform(kept: Store, name: Method, args: readonly unknown[]): Promise<unknown> {
  const [method, ofMemory] = name.split('.') as [keyof Store, keyof MemoryStore | undefined]
  const target = ofMemory ? kept.memory(() => 0) : kept
  // The cast: both are objects of methods, and the name is one of theirs.
  const call = (target as unknown as Record<string, (...all: unknown[]) => Promise<unknown>>)[ofMemory ?? method]!
  return Reflect.apply(call, target, args)
}

function menuFor({ name }: Operation): readonly Fault[] {
  const menu = writes.has(name) ? writeFaults : readFaults
  // A memory may be on a server of the developer's, which never answers.
  return name.startsWith('memory.') ? [...menu, 'hangs'] : menu
}

function lateMenu({ name, args }: Operation): readonly Fault[] {
  if (name !== 'append') return []
  const { entries } = args[0] as Batch
  if (entries.some(isApproval)) return ['bit-rot']
  return entries.some(({ type }) => type === 'tool-intent') ? ['quota'] : []
}

function factOf({ args }: Operation): MemoryFact {
  return args[0] as MemoryFact
}

function freesBallast({ name, args }: Operation): boolean {
  return name === 'saveSide' && args[0] === 'ballast' && args[3] === undefined
}

function isApproval(entry: Entry): boolean {
  return entry.type === 'request-close' && entry.resolution.type === 'approve' && entry.resolution.args === undefined
}

function grows({ name, args }: Operation): boolean {
  if (name === 'saveSide') return args[3] !== undefined
  return writes.has(name) && name !== 'delete' && name !== 'clear'
}

export function storageError(problem: 'full' | 'blocked' | 'failed'): DogearError {
  return new DogearError(`storage-${problem}`, `The simulated disk is ${problem}.`)
}
