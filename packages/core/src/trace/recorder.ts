/** Entries as trace events: each thing that took time or a decision, told once, when it is over. */
import type { Entry, EntryOf } from '../session/entry.ts'
import { callOfWorker } from '../session/fold.ts'
import { happeningsOf, turnHappening } from './happenings.ts'
import { beginScope, release, releaseAnswer, type Happening, type Scope } from './scope.ts'
import { sumOf, type TraceSession, type TraceUsage } from './trace-session.ts'

export interface Recorder {
  read(entry: Entry): Happening[]
  /** What is not over yet, as it is now. */
  rest(now: number): Happening[]
}

export function createRecorder(agent: TraceSession['agent']): Recorder {
  const scopes = new Map<string, Scope>()

  function scopeOf({ path }: Entry): Scope {
    const key = path.join('/')
    let scope = scopes.get(key)
    if (!scope) scopes.set(key, (scope = beginScope(agent, path)))
    return scope
  }

  return {
    read(entry) {
      const scope = scopeOf(entry)
      if (entry.type === 'usage-add') return addUsage(scope, entry)
      const before = releaseAnswer(scope)
      const ofWorkers = entry.type === 'tool-result' ? dismiss(scopes, entry) : []
      return [...before, ...ofWorkers, ...happeningsOf(scope, entry)]
    },
    rest: (now) => [...scopes.values()].reverse().flatMap((scope) => [...release(scope), ...turnHappening(scope, now)]),
  }
}

/** The agents that worked for a call are done with it. */
function dismiss(scopes: Map<string, Scope>, { path, callId }: EntryOf<'tool-result'>): Happening[] {
  const gone = [...scopes].filter(([, scope]) => callOfWorker(scope.path[path.length]) === callId)
  for (const [key] of gone) scopes.delete(key)
  return gone.flatMap(([, scope]) => release(scope))
}

function addUsage(scope: Scope, entry: EntryOf<'usage-add'>): Happening[] {
  const { purpose, model, costUsd, at } = entry
  const { input, output, cachedInput, reasoning } = entry.usage
  const usage: TraceUsage = { model, input, output, cachedInput, reasoning, ...(costUsd !== undefined && { costUsd }) }
  if (purpose === 'step' && scope.answer) {
    scope.answer = { ...scope.answer, name: model, usage }
    return releaseAnswer(scope)
  }
  const before = scope.asides[purpose]?.usage
  scope.asides[purpose] = { usage: before ? bothOf(before, usage) : usage, at }
  return []
}

function bothOf(before: TraceUsage, usage: TraceUsage): TraceUsage {
  const isPriced = before.costUsd !== undefined || usage.costUsd !== undefined
  return {
    ...usage,
    ...sumOf(before, usage),
    reasoning: before.reasoning + usage.reasoning,
    ...(isPriced && { costUsd: (before.costUsd ?? 0) + (usage.costUsd ?? 0) }),
  }
}
