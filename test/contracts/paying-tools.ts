/** A tool that asks and one that does not, what they ran with, and what a hook says before them. */
import type { HookOutput } from '@dogear/core'

export const ran: unknown[] = []
export const pay = { name: 'pay', needsApproval: true, func: (args: unknown) => (ran.push(args), 'paid') }
export const plain = { ...pay, name: 'plain', needsApproval: false }

export function before(
  output: Omit<NonNullable<HookOutput['hookSpecificOutput']>, 'hookEventName'>,
): HookOutput<'PreToolUse'> {
  return { hookSpecificOutput: { hookEventName: 'PreToolUse', ...output } }
}
