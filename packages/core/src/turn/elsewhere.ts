/** A call that another tab runs, because the tool is on its page: what owner and tab agree on. */
import { describeError } from '../error.ts'
import { activeAgent } from '../agents/active-agent.ts'
import type { Hash } from '../ports/hash.ts'
import type { Head, OpenCall } from '../session/state.ts'
import { argsHash } from '../tools/canonical.ts'
import type { CallContext, CallReply } from '../tools/result.ts'
import { toldOf } from './own-request.ts'
import { argsOf } from './recover.ts'
import type { RunAgent, RunTool } from './run.ts'

/** The tabs beside this one, as the owner knows them. */
export interface Elsewhere {
  /** The tool as a living tab has it, for the agent that asked; its `host` is that tab. */
  tool(agent: string | undefined, name: string): RunTool | undefined
  /** Asks who has it. Whoever does is known some time later, and the driver is nudged. */
  seek(agent: string | undefined, name: string): void
  /** Resolves once that tab is gone for good. */
  gone(host: string): Promise<void>
}

/** The commandId of the report on this entry of a call: sent twice, the second one is dropped. */
export function reportId({ callId, intent, asked }: OpenCall): string {
  return `${callId}.report.${intent?.attempt}.${asked?.length ?? 0}`
}

/** The calls this tab is to run: by an intent in the journal, never by what a channel says. */
export function callsFor({ turn }: Head, host: string): OpenCall[] {
  const isMine = ({ intent, request, decision, done }: OpenCall) =>
    intent?.host === host && !done && !request && !decision
  return turn?.calls.filter(isMine) ?? []
}

/** Runs what the journal says, and only if it is what was approved. Never throws. */
export async function runForOwner(
  { agent, head, hash }: { agent: RunAgent; head: Head; hash: Hash },
  call: OpenCall,
  { signal, authority }: Pick<CallContext, 'signal' | 'authority'>,
): Promise<CallReply> {
  const { callId, intent, asked } = call
  const tool = activeAgent(agent, head).tools.find(({ name }) => name === call.tool)
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
