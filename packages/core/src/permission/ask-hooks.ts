/** Asks the hooks of an event, in order, each of what the one before it left. */
import { describeError } from '../error.ts'
import { resultText, type CallReply } from '../tools/result.ts'
import { modeOf } from '../turn/standing.ts'
import { headOf, type Run } from '../turn/run.ts'
import { unlessStopped } from '../turn/unless-stopped.ts'
import { matcherOf, type HookEvent, type HookInput, type HookInputs, type HookOutput } from './hooks.ts'

export function hasHooks(run: Run, ...events: HookEvent[]): boolean {
  return run.agent().hooks?.some(({ event }) => events.includes(event)) ?? false
}

export interface Asking<E extends HookEvent> {
  /** What its matcher is held against. */
  readonly about: string
  readonly callId?: string
  /** Made for each: it holds what the one before has changed. */
  readonly input: () => HookInputs[E]
  readonly heard?: (output: HookOutput) => void
}

export async function askHooks<E extends HookEvent>(run: Run, event: E, asking: Asking<E>): Promise<void> {
  const { about, callId, input, heard } = asking
  for (const hook of run.agent().hooks ?? []) {
    if (hook.event !== event || !matcherOf(hook.matcher).test(about)) continue
    const { name, timeout = 60, onFailure } = hook
    const told = {
      hook_event_name: event,
      session_id: headOf(run).sessionId,
      permission_mode: modeOf(run),
      agent_type: run.agent().name,
      ...(input() as object),
    } as unknown as HookInput
    const controller = new AbortController()
    try {
      const asked = Promise.resolve().then(() => hook.run(told, callId, { signal: controller.signal }))
      const late = new Promise<never>((_resolve, reject) => {
        const stop = run.clock.after(timeout * 1000, () => reject(new Error(`it did not answer within ${timeout} s`)))
        void asked.then(stop, stop)
      })
      const output = await unlessStopped(run.signal, Promise.race([asked, late]))
      if (output) heard?.(output)
    } catch (error) {
      // Late or stopped: what it still does is for nobody.
      controller.abort(error)
      run.signal.throwIfAborted()
      run.warn(`Hook ${name} failed at "${about}": ${describeError(error)}`)
      if (onFailure === 'block') heard?.({ decision: 'block', reason: 'a check of it failed' })
    }
  }
}

type CallEvent = { [E in HookEvent]: HookInputs[E] extends AboutCall ? E : never }[HookEvent]
type AboutCall = { readonly tool_name: string; readonly tool_use_id: string }

/** Of a call, matched by its tool. */
export function askCallHooks<E extends CallEvent>(
  run: Run,
  event: E,
  { callId, tool }: { readonly callId: string; readonly tool: string },
  { input, heard }: { input(): Omit<HookInputs[E], keyof AboutCall> } & Pick<Asking<E>, 'heard'>,
): Promise<void> {
  return askHooks<HookEvent>(run, event, {
    about: tool,
    callId,
    // The cast: these are all that an input of a call's event has.
    input: () => ({ tool_name: tool, tool_use_id: callId, ...input() }) as unknown as HookInputs[E],
    heard,
  })
}

/** A result as the hooks let the model read it, and whether the turn goes on. */
export async function afterTool(
  run: Run,
  call: { readonly callId: string; readonly tool: string; readonly args: unknown },
  reply: CallReply,
): Promise<CallReply & { readonly interrupts?: 'hook' }> {
  let { content, status } = reply
  let interrupts = false as boolean
  let isWithheld = false
  const heard = ({ continue: goesOn, decision, reason, hookSpecificOutput: specific }: HookOutput) => {
    if (isWithheld) return
    interrupts ||= goesOn === false
    if (decision === 'block') {
      isWithheld = true
      status = 'error'
      content = `The result of ${call.tool} was withheld: ${reason ?? 'it was not allowed'}.`
      return
    }
    const { updatedToolOutput: updated, additionalContext } = specific ?? {}
    if (updated !== undefined && status === 'complete') content = resultText(updated)
    if (additionalContext) content = `${content}\n\n${additionalContext}`
  }
  const tool_input = call.args
  try {
    if (status === 'complete') {
      await askCallHooks(run, 'PostToolUse', call, { input: () => ({ tool_input, tool_response: content }), heard })
    } else if (status === 'error') {
      await askCallHooks(run, 'PostToolUseFailure', call, { input: () => ({ tool_input, error: content }), heard })
    }
  } catch {
    // What a hook might have taken out of it must not be read; that the call has ended is known all the same.
    heard({ decision: 'block', reason: 'the turn was stopped before it was checked' })
  }
  return { ...reply, content, status, ...(interrupts && { interrupts: 'hook' as const }) }
}
