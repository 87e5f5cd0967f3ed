/** What the demo model says next: the first script that knows the person's words answers. */
import { countAloud } from './scripts/count-aloud.ts'
import { explainDemo } from './scripts/explain-demo.ts'
import { longAnswer } from './scripts/long-answer.ts'
import { askBack } from './scripts/ask-back.ts'
import { planTrip } from './scripts/plan-trip.ts'
import { readPage } from './scripts/read-page.ts'
import { smallTalk } from './scripts/small-talk.ts'
import { useTool } from './scripts/use-tool.ts'
import type { Transcript } from './transcript.ts'

/** One answer of the model: it thinks, speaks, and may ask for tools. */
export interface Reply {
  readonly reasoning?: string
  readonly text?: string
  readonly calls?: readonly { readonly name: string; readonly args: object }[]
  /** How many times slower than usual. */
  readonly slowness?: number
}

export type Script = (transcript: Transcript) => Reply | undefined

const scripts: readonly Script[] = [countAloud, longAnswer, planTrip, askBack, readPage, useTool, smallTalk]

export function reply(transcript: Transcript): Reply {
  for (const script of scripts) {
    const answer = script(transcript)
    if (answer !== undefined) return answer
  }
  return explainDemo(transcript)
}
