/** A tool call as its card shows it, read off the message that asked for it, its result, or its place in the open step. */

import { labelText, spellOut, textOf, type Message, type OpenCall, type ToolLabel } from '@dogear/core'
import type { Session } from '@dogear/worker'

/** `unknown`: it was begun, and nobody knows whether it took effect. */
export type CallState = 'waiting' | 'asking' | 'running' | 'done' | 'failed' | 'declined' | 'skipped' | 'unknown'

export interface CallView {
  readonly id: string
  readonly tool: string
  /** What the tool does, in the tense of its state. */
  readonly label: string
  readonly state: CallState
  /** The arguments it ran with, else as the model wrote them. */
  readonly args: unknown
  readonly result?: string
  readonly summary?: string
  readonly durationMs?: number
}

/** What is known of a call; every part but its id and name may still be missing. */
export interface CallFacts {
  readonly id: string
  readonly tool: string
  readonly args: string
  readonly open?: OpenCall
  readonly result?: Message
}

export function callView(session: Session, { id, tool, args, open, result }: CallFacts): CallView {
  const outcome = result?.meta.tool
  const state = result ? stateOfResult(result) : asksForAnother(session, id) ? 'asking' : stateOfOpen(session, open)
  const tense = state === 'done' ? 'done' : state === 'running' ? 'doing' : 'ask'
  return {
    id,
    tool,
    label: toolLabel(session, tool, tense, outcome?.label ?? open?.label),
    state,
    args: outcome?.args ?? parsed(args),
    result: result && textOf(result),
    summary: outcome?.summary,
    durationMs: outcome?.durationMs,
  }
}

/** The tool's own label as this page knows it, else as the journal kept it, else its name in words. */
export function toolLabel(session: Session, tool: string, tense: 'ask' | 'doing' | 'done', kept?: string): string {
  const label: ToolLabel | undefined = session.agent.tools.find(({ name }) => name === tool)?.label
  return labelText(label, tense) || kept || spellOut(tool)
}

export function isSettled({ state, result }: CallView): boolean {
  if (state === 'unknown') return result !== undefined
  return state !== 'waiting' && state !== 'asking' && state !== 'running'
}

function stateOfResult({ meta: { status, tool } }: Message): CallState {
  if (tool?.unknown) return 'unknown'
  if (status === 'complete') return 'done'
  if (status === 'error') return 'failed'
  return status === 'rejected' ? 'declined' : 'skipped'
}

function stateOfOpen({ connection }: Session, open: OpenCall | undefined): CallState {
  if (!open) return 'skipped'
  if (open.request && !open.decision && !open.done) return open.request.kind === 'outcome' ? 'unknown' : 'asking'
  if (!open.intent) return 'waiting'
  // Parked: whoever ran it has died, and nobody goes on.
  const isParked = connection.value.type === 'failed' && connection.value.error.code === 'session-parked'
  return isParked ? 'unknown' : 'running'
}

/** An agent that works for this call waits for the person. */
function asksForAnother({ requests }: Session, id: string): boolean {
  return requests.value.some(({ path }) => path?.[0] === id || path?.[0]?.startsWith(`${id}#`))
}

function parsed(args: string): unknown {
  try {
    return args ? JSON.parse(args) : {}
  } catch {
    // Still streaming, or not JSON at all: shown as written.
    return args
  }
}
