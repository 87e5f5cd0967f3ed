/** A tool's own rules: how often it may run in a turn, when it is given up, and when an earlier result stands in. */
import { describeError } from '../error.ts'
import type { OpenCall } from '../session/state.ts'
import { textOf } from '../session/message.ts'
import { argsHash } from '../tools/canonical.ts'
import { resultOf, type CallPlace, type ResultDecision } from './decision.ts'
import { headOf, turnOf, type Run, type RunTool } from './run.ts'

/** The result of a call that its tool's rules do not let run. */
export function ruledOut(run: Run, call: OpenCall, tool: RunTool, place: CallPlace): ResultDecision | undefined {
  const { name, maxExecutionsPerRun: most, retry } = tool
  const threshold = retry?.circuitBreakerThreshold
  if (most === undefined && !threshold) return undefined
  const { successes = 0, failures = 0 } = turnOf(run).tallies[name] ?? {}
  if (most !== undefined && successes + runningBefore(call, place) >= most) {
    return resultOf(call, 'skipped', `Skipped tool due to per-tool execution limit: ${name}`)
  }
  if (!threshold || failures < threshold) return undefined
  return resultOf(call, 'error', `${name} failed ${failures} times in a row and is not tried again in this turn.`)
}

/** Those of the same step count as if they succeed: side by side they would all pass the limit together. */
function runningBefore(call: OpenCall, { index, calls }: CallPlace): number {
  return calls.slice(0, index).filter((other) => other.tool === call.tool && !other.done).length
}

/** What an earlier call with the same arguments gave, while that may stand in. */
export async function cachedResult(
  run: Run,
  call: OpenCall,
  tool: RunTool,
  args: unknown,
): Promise<ResultDecision | undefined> {
  const { ttlMs = Infinity, scope = 'run' } = tool.cache ?? {}
  const key = await cacheKeyOf(run, tool, args)
  const found = key === undefined ? undefined : headOf(run).cache[key]
  // By the distance: set back by a day, the clock would make a result a day younger.
  if (!found || Math.abs(run.clock.now() - found.at) >= ttlMs) return undefined
  const { fold } = run.journal
  if (scope === 'run' && fold.nodes.get(found.id)?.turnId !== turnOf(run).id) return undefined
  const message = fold.bodies.get(found.id) ?? (await run.journal.messages()).find(({ id }) => id === found.id)
  if (!message) return undefined
  const { result } = resultOf(call, 'complete', textOf(message), args)
  const summary = message.meta.tool?.summary
  return { type: 'result', result: { ...result, durationMs: 0, summary, fromCache: true } }
}

/** Undefined for a tool without a cache, and where its `keyFn` fails: then the call just runs. */
export async function cacheKeyOf(run: Run, { name, cache }: RunTool, args: unknown): Promise<string | undefined> {
  if (!cache) return undefined
  try {
    return argsHash(run.hash, name, cache.keyFn ? await cache.keyFn(args) : args)
  } catch (error) {
    run.warn(`keyFn of "${name}" threw (${describeError(error)}); the call is not cached.`)
    return undefined
  }
}
