/** A model call beside the conversation: a summary, a reflection, a title. Its words are no turn of anybody's. */
import { DogearError } from '../error.ts'
import type { ModelRequest } from '../ports/model.ts'
import type { Purpose } from '../session/entry.ts'
import type { NewEntry } from '../session/journal.ts'
import { addToPartial, emptyPartial } from '../session/partial.ts'
import { modelNameOf, streamKey, turnOf, type Run } from './run.ts'
import { usageEntries } from './usage.ts'

export interface Aside {
  readonly text: string
  /** What it cost: to be written with what came of it. */
  readonly entries: readonly NewEntry[]
  readonly durationMs: number
}

export async function askAside(
  run: Run,
  purpose: Exclude<Purpose, 'step'>,
  request: Omit<ModelRequest, 'model'>,
  /** Which of several it is, so that each has a key of its own. */
  index = 0,
): Promise<Aside> {
  const { id, step } = turnOf(run)
  return askWithKey(run, `${id}.${step}.${purpose}${index || ''}`, purpose, request)
}

export async function askWithKey(
  run: Run,
  key: string,
  purpose: Exclude<Purpose, 'step'>,
  request: Omit<ModelRequest, 'model'>,
): Promise<Aside> {
  const startedAt = run.clock.elapsed()
  let partial = emptyPartial(key)
  const asked = { model: modelNameOf(run), ...request }
  const options = { signal: run.signal, key: streamKey(run, key) }
  for await (const event of run.agent().model.stream(asked, options)) {
    partial = addToPartial(partial, event)
  }
  if (!partial.finish) throw new DogearError('stream-cut', `The ${purpose} stopped before its end.`)
  const entries = await usageEntries(run, partial, purpose)
  return { text: partial.text, entries, durationMs: run.clock.elapsed() - startedAt }
}
