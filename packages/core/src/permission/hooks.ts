/** Hooks: functions of the page that are asked about a call, one after the other, each of what the one before it left. */
import { describeError, DogearError } from '../error.ts'
import { resultText, type CallReply } from '../tools/result.ts'
import { headOf, type Run } from '../turn/run.ts'
import { unlessStopped } from '../turn/unless-stopped.ts'

/** By event. So far the one that is asked when a tool has given its result. */
export interface Hooks {
  readonly PostToolUse?: readonly HookMatcher[]
}

export interface HookMatcher {
  /** The tools it is for, by name: `'book'`, `'book|cancel'`, `'get_.*'`. Default: all. */
  readonly matcher?: string
  readonly hooks: readonly PostToolUse[]
  /** Seconds for each of them. Default 60. */
  readonly timeout?: number
  /** What a hook that throws or is late means: `continue`, the default, as if it had said nothing; `block`, that the result is withheld. */
  readonly onFailure?: 'continue' | 'block'
}

export type PostToolUse = (
  input: PostToolUseInput,
  toolUseID: string,
) => PostToolUseOutput | undefined | void | Promise<PostToolUseOutput | undefined | void>

export interface PostToolUseInput {
  readonly hook_event_name: 'PostToolUse'
  readonly session_id: string
  readonly tool_name: string
  readonly tool_input: unknown
  /** What the model is about to read. */
  readonly tool_response: string
  readonly tool_use_id: string
}

export interface PostToolUseOutput {
  readonly hookSpecificOutput?: {
    readonly hookEventName: 'PostToolUse'
    /** What the model reads instead. */
    readonly updatedToolOutput?: unknown
    /** What it reads beside it. */
    readonly additionalContext?: string
  }
}

/** One hook, by a name that a worker can find it by. */
export interface ResolvedHook extends Omit<HookMatcher, 'hooks'> {
  readonly name: string
  readonly run: PostToolUse
}

export function resolveHooks(hooks: Hooks = {}): readonly ResolvedHook[] {
  return (hooks.PostToolUse ?? []).flatMap(({ hooks: runs, matcher, ...rest }, index) => {
    try {
      matcherOf(matcher)
    } catch (error) {
      throw new DogearError('agent-invalid', `The matcher "${matcher}" of a PostToolUse hook cannot be read.`, {
        cause: error,
      })
    }
    return runs.map((run, position) => ({ ...rest, matcher, name: `PostToolUse-${index}-${position}`, run }))
  })
}

function matcherOf(matcher = '*'): RegExp {
  return new RegExp(`^(?:${matcher === '*' ? '.*' : matcher})$`)
}

/** A result that succeeded, as the hooks let the model read it. */
export async function afterTool(
  run: Run,
  { callId, tool, args }: { readonly callId: string; readonly tool: string; readonly args: unknown },
  reply: CallReply,
): Promise<CallReply> {
  let told = reply
  for (const { name, matcher, timeout = 60, onFailure, run: ask } of run.agent().postToolUse ?? []) {
    if (told.status !== 'complete' || !matcherOf(matcher).test(tool)) continue
    const input: PostToolUseInput = {
      hook_event_name: 'PostToolUse',
      session_id: headOf(run).sessionId,
      tool_name: tool,
      tool_input: args,
      tool_response: told.content,
      tool_use_id: callId,
    }
    try {
      const asked = Promise.resolve().then(() => ask(input, callId))
      const late = new Promise<never>((_resolve, reject) => {
        const stop = run.clock.after(timeout * 1000, () => reject(new Error(`it did not answer within ${timeout} s`)))
        void asked.then(stop, stop)
      })
      const { updatedToolOutput: updated, additionalContext } =
        (await unlessStopped(run.signal, Promise.race([asked, late])))?.hookSpecificOutput ?? {}
      const content = updated === undefined ? told.content : resultText(updated)
      told = { ...told, content: additionalContext ? `${content}\n\n${additionalContext}` : content }
    } catch (error) {
      run.signal.throwIfAborted()
      run.warn(`Hook ${name} failed at "${tool}": ${describeError(error)}`)
      if (onFailure === 'block')
        told = { status: 'error', content: `The result of ${tool} was withheld: a check of it failed.` }
    }
  }
  return told
}
