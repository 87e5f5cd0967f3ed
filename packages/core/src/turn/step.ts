/** One model request: asked once, re-attached when the stream breaks, kept when it is cut. */
import { describeError, DogearError, toErrorData } from '../error.ts'
import { addToPartial, copyOfPartial, emptyPartial, type Partial } from '../session/partial.ts'
import { answerEntries, cutEntry } from './answer.ts'
import { prepareStep } from './prepare.ts'
import { promptOf } from './prompt.ts'
import { headOf, streamKey, turnOf, type Run } from './run.ts'
import { unlessStopped } from './unless-stopped.ts'
import { usageEntries } from './usage.ts'

/** How often in a row a stream may break without a word of progress. */
const fruitlessTries = 4
const saveEvery = 1000

/** Brings the open step's answer into the journal: whole, or marked as cut so that the next step asks again. */
export async function answerStep(run: Run): Promise<void> {
  const turn = turnOf(run)
  const step = turn.openStep
  if (!step) return
  let partial = run.recovering ? await recoveredPartial(run, step.id, turn.step) : emptyPartial(step.id)
  let fruitless = 0
  if (!hasWords(partial) && partial.after === undefined) await prepareStep(run)
  // A guardrail may have ended the turn.
  if (!headOf(run).turn) return

  while (!partial.finish) {
    if (hasWords(partial) && partial.after === undefined) return keepCut(run, partial)
    const before = partial
    try {
      partial = await streamInto(run, partial, step.key, (sofar) => (partial = sofar))
    } catch (error) {
      if (run.signal.aborted) throw error
      fruitless = partial === before ? fruitless + 1 : 0
      // It may be long before it goes on: a reload meanwhile must not take back words that were shown.
      if (partial !== before) await run.savePartial(partial)
      const next = await afterFailure(run, error, fruitless)
      if (next === 'cut') return hasWords(partial) ? keepCut(run, partial) : failWith(error)
      if (next === 'ask-anew') {
        if (hasWords(partial)) return keepCut(run, partial)
        partial = emptyPartial(step.id)
      }
      if (next === 'fail') {
        if (hasWords(partial)) await keepCut(run, partial)
        throw error
      }
      partial = markResumed(partial)
    }
  }
  await run.journal.append(await answerEntries(run, partial), { dropPartials: [step.id] })
  run.emit(null)
}

async function recoveredPartial(run: Run, stepId: string, step: number): Promise<Partial> {
  run.recovering = false
  const kept = await run.loadPartial(stepId)
  const partial = kept ? markResumed(kept) : emptyPartial(stepId, step > 1)
  run.emit(partial)
  return partial
}

async function streamInto(
  run: Run,
  start: Partial,
  key: string,
  progress: (partial: Partial) => void,
): Promise<Partial> {
  let partial = start
  // From the first event on: a second later it is known whether this server gives cursors.
  let savedAt: number | undefined
  const agent = run.agent()
  const events = agent.model.stream(await promptOf(run), {
    signal: run.signal,
    key: streamKey(run, key),
    after: partial.after,
  })
  for await (const event of events) {
    partial = addToPartial(partial, event)
    run.emit(event.type === 'retry' ? { ...partial, retry: event } : partial)
    const now = run.clock.elapsed()
    savedAt ??= now
    // Words beyond their cursor would be said twice when the stream is re-attached.
    const isCovered = event.type === 'cursor' || partial.after === undefined
    if (isCovered) progress(partial)
    if (isCovered && now - savedAt >= saveEvery) {
      savedAt = now
      await run.savePartial(partial)
    }
  }
  if (!partial.finish) throw new DogearError('stream-cut', 'The answer stopped before its end.')
  return partial
}

type AfterFailure = 'again' | 'ask-anew' | 'cut' | 'fail'

async function afterFailure(run: Run, error: unknown, fruitless: number): Promise<AfterFailure> {
  const code = error instanceof DogearError ? error.code : 'internal'
  if (code === 'network' || code === 'token-refused') {
    // Once, not at every try: a wrong address looks like a lost network to the visitor, and must not to the developer.
    if (fruitless <= 1) run.warn(describeError(error))
    await run.wait(code === 'network' ? 'network' : 'token')
    return 'again'
  }
  if (code !== 'stream-cut') return (await mayRetry(run, error, fruitless)) ? 'ask-anew' : 'fail'
  if (fruitless >= fruitlessTries) return 'cut'
  const isLost = error instanceof DogearError && error.details.lost
  // What is lost is asked for anew at once, but not again and again.
  if (!isLost || fruitless > 1) await run.clock.sleep(250 * 2 ** fruitless, run.signal)
  return isLost ? 'ask-anew' : 'again'
}

async function mayRetry(run: Run, error: unknown, attempt: number): Promise<boolean> {
  const { onError } = run.agent()
  if (!onError) return false
  return (await unlessStopped(run.signal, Promise.resolve(onError(toErrorData(error), attempt)))) === 'retry'
}

function failWith(error: unknown): never {
  throw error
}

/** The words stay, marked; the next step asks again. */
async function keepCut(run: Run, partial: Partial): Promise<void> {
  await run.journal.append([cutEntry(run, partial), ...(await usageEntries(run, partial, 'step'))], {
    dropPartials: [partial.stepId],
  })
  run.recovering = true
  run.emit(null)
}

export function hasWords(partial: Partial): boolean {
  return partial.text !== '' || partial.reasoning !== '' || partial.refusal !== '' || partial.calls.length > 0
}

function markResumed(partial: Partial): Partial {
  if (!hasWords(partial)) return partial
  const marks = partial.resumedAt ?? []
  if (marks.at(-1) === partial.text.length) return partial
  const next = copyOfPartial(partial)
  next.resumedAt = [...marks, partial.text.length]
  return next
}
