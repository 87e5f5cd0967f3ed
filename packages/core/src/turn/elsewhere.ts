/** A call that another tab runs, because the tool is on its page: what owner and tab agree on. */
import { describeError } from '../error.ts'
import { agentAt } from '../agents/active-agent.ts'
import type { Hash } from '../ports/hash.ts'
import type { Head, Intent, OpenCall } from '../session/state.ts'
import { argsHash } from '../tools/canonical.ts'
import type { CallContext, CallReply } from '../tools/result.ts'
import { toldOf } from './own-request.ts'
import { pageOf } from './page.ts'
import { argsOf } from './recover.ts'
import type { RunAgent, RunTool } from './run.ts'
import type { Sought } from './sought.ts'

/** The tabs beside this one, as the owner knows them. */
export interface Elsewhere {
  /** The tool as a living tab has it, for the agent that asked; its `host` is that tab. */
  tool(sought: Sought): RunTool | undefined
  /** Asks who has it. Whoever does is known some time later, and the driver is nudged. */
  seek(sought: Sought): void
  /** Resolves once no page will report on the call any more. Never rejects. */
  over(intent: Intent): Promise<void>
}

/** The tool as this page has it, for the agent that asked. */
export function toolSought(root: RunAgent, head: Head, { path, agent, name }: Sought): RunTool | undefined {
  const own = path.reduce<Head | undefined>((above, key) => above?.children[key], head)
  if (!own || own.turn?.agent !== agent) return undefined
  return agentAt(root, head, path)?.tools.find((tool) => tool.name === name)
}

/** A call that has no result yet, also of an agent at work for another. */
export interface CallAt {
  readonly call: OpenCall
  readonly path: readonly string[]
  /** The agent that has the word where it was made. */
  readonly agent?: string
}

export function openCallsOf({ turn, children }: Head, path: readonly string[] = []): CallAt[] {
  const own = turn?.calls.flatMap((call) => (call.done ? [] : { call, path, agent: turn.agent })) ?? []
  const theirs = Object.entries(children).flatMap(([key, child]) => openCallsOf(child, [...path, key]))
  return [...own, ...theirs]
}

/** The commandId of the report on this entry of a call: sent twice, the second one is dropped. */
export function reportId({ callId, intent, asked }: OpenCall): string {
  return `${callId}.report.${intent?.attempt}.${asked?.length ?? 0}`
}

/** The calls this tab is to run: by an intent in the journal, never by what a channel says. */
export function callsFor(head: Head, host: string): CallAt[] {
  const isMine = ({ call: { intent, request, decision } }: CallAt) => intent?.host === host && !request && !decision
  return openCallsOf(head).filter(isMine)
}

/** The calls that a worker before this one began on this page: what became of them only the page knows. */
export function callsBefore(head: Head, host: string): CallAt[] {
  const isMine = ({ call: { intent, request, decision } }: CallAt) =>
    intent &&
    intent.host !== host &&
    pageOf(intent) === pageOf({ host }) &&
    (!request || (request.kind === 'outcome' && !decision))
  return openCallsOf(head).filter(isMine)
}

/** Runs what the journal says, and only if it is what was approved. Never throws. */
export async function runForOwner(
  { agent, head, hash }: { agent: RunAgent; head: Head; hash: Hash },
  { call, path, agent: active }: CallAt,
  { signal, authority }: Pick<CallContext, 'signal' | 'authority'>,
): Promise<CallReply> {
  const { callId, intent, asked } = call
  const tool = toolSought(agent, head, { path, agent: active, name: call.tool })
  const args = argsOf(call)
  if (!tool || !intent) return failure(`${call.tool} is no longer on the page that had it. Nothing was run.`)
  if (argsHash(hash, call.tool, args) !== intent.argsHash) {
    return failure('The arguments changed after they were approved, so nothing was run.')
  }
  const { key: idempotencyKey, attempt } = intent
  const context = { idempotencyKey, callId, sessionId: head.sessionId, attempt, signal, authority }
  try {
    return await tool.call(args, { ...context, ...(asked && { told: toldOf(asked) }) })
  } catch (error) {
    return failure(`Error executing tool: ${describeError(error)}`)
  }
}

function failure(content: string): CallReply {
  return { status: 'error', content, problem: content }
}
