/** A Request that a call raises: what it shows of the call, and when it opens. */
import type { Request } from '../permission/request.ts'
import type { NewEntry } from '../session/journal.ts'
import type { OpenCall } from '../session/state.ts'
import { argsHash } from '../tools/canonical.ts'
import { labelText } from '../tools/tool.ts'
import type { Run, RunTool } from './run.ts'

type ShownTool = Pick<RunTool, 'name' | 'label' | 'description'> & Partial<RunTool>

/** The tool's own words, and exactly what is bound by the hash: what runs is what was shown. */
export function requestAbout(
  run: Run,
  { callId }: OpenCall,
  { name, label, description, destructive }: ShownTool,
  { args, kind }: Pick<Request, 'args' | 'kind'>,
): Request {
  return {
    id: `${callId}.${kind}`,
    kind,
    openedAt: run.clock.now(),
    callId,
    tool: name,
    label: labelText(label, 'ask'),
    description,
    args,
    argsHash: argsHash(run.hash, name, args),
    destructive,
  }
}

export interface Shown {
  readonly args: unknown
  readonly kind: 'approval' | 'deferred'
  readonly reason?: string
  readonly context?: string
  /** What "always" would make. */
  readonly rule?: string
}

/** Whether a call may run. */
export function permissionRequest(run: Run, call: OpenCall, tool: ShownTool, shown: Shown): Request {
  const { parameters, approvalPrompt: prompt, approvalDefaults: defaults, gesture } = tool
  const { reason, context, rule } = shown
  return {
    ...requestAbout(run, call, tool, shown),
    parameters,
    ...(prompt && { prompt }),
    ...(defaults !== undefined && { defaults }),
    ...(reason && { reason }),
    ...(context && { context }),
    ...(rule !== undefined && { always: { rule } }),
    ...(gesture && { gesture }),
  }
}

/** From now on it waits, and no longer than the agent lets it: but whether a call happened no silence tells. */
export function opened(run: Run, request: Request): NewEntry {
  const openedAt = run.clock.now()
  const { requestTimeout } = run.agent().permissions
  const mayExpire = requestTimeout !== undefined && request.kind !== 'outcome'
  const expiry = mayExpire && { expiresAt: openedAt + requestTimeout }
  return { type: 'request-open', request: { ...request, openedAt, ...expiry } }
}
