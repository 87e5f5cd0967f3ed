/** Hooks that say when they are asked and what they answer: they run on this page, so this is where it is known. */
import { describeError, type HookCallback, type HookMatcher, type Hooks } from '@dogear/core'
import type { SDKHookResponseMessage, SDKHookStartedMessage } from './sdk-message.ts'

type Told = SDKHookStartedMessage | SDKHookResponseMessage

export function toldHooks(hooks: Hooks = {}, tell: (message: Told) => void): Hooks {
  let asked = 0
  const told =
    (name: string, run: HookCallback): HookCallback =>
    async (input, toolUseID, options) => {
      const { session_id, hook_event_name: hook_event } = input
      const hook_id = `${session_id}.hook.${(asked += 1)}`
      const about = { type: 'system', session_id, hook_id, hook_name: name, hook_event } as const
      tell({ ...about, subtype: 'hook_started', uuid: hook_id })
      const respond = (outcome: 'success' | 'error', output: string) =>
        tell({ ...about, subtype: 'hook_response', uuid: `${hook_id}.r`, outcome, output })
      try {
        const output = await run(input, toolUseID, options)
        respond('success', JSON.stringify(output ?? {}))
        return output
      } catch (error) {
        respond('error', describeError(error))
        throw error
      }
    }
  const all = Object.entries(hooks).map(([event, matchers]) => [
    event,
    // The cast: a hook is only ever told of its own event.
    (matchers as readonly HookMatcher[]).map((matcher) => ({
      ...matcher,
      hooks: matcher.hooks.map((run) => told(`${event}:${matcher.matcher ?? '*'}`, run)),
    })),
  ])
  return Object.fromEntries(all) as Hooks
}
