/** The mode of a session: how much its person lets the agent do before it asks. */
import { DogearError } from '../error.ts'
import { builtinNames } from '../tools/builtin.ts'

export const modes = ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions'] as const

/**
 * `default`: what no rule allows asks. `acceptEdits`: that runs, unless it is destructive or reaches beyond this site.
 * `plan`: only tools whose effect is `read`. `dontAsk`: what would ask is denied. `bypassPermissions`: only deny and ask
 * rules hold.
 */
export type PermissionMode = (typeof modes)[number]

export function checkMode(
  mode: unknown,
  mayBypass = true,
  code: 'input-invalid' | 'agent-invalid' = 'input-invalid',
): PermissionMode {
  if (!modes.includes(mode as PermissionMode)) {
    throw new DogearError(code, `A mode is one of ${modes.join(', ')}; got ${JSON.stringify(mode)}.`)
  }
  if (mode === 'bypassPermissions' && !mayBypass) {
    throw new DogearError(
      code,
      'bypassPermissions lets calls run that nobody has allowed: it needs allowDangerouslySkipPermissions: true.',
    )
  }
  return mode as PermissionMode
}

/** What the model is told in plan mode; `body` in place of how to plan. */
export function planInstructions(body = planBody): string {
  return `Plan mode is on: look and plan, change nothing. Only calls that read are carried out.\n\n${body}\n\nWhen the plan is ready, call ${builtinNames.exitPlan} with it: the person decides whether you may carry it out. Until then do not say that anything was done.`
}

const planBody =
  'Find out what you need, weigh the ways there are, and ask where only the person can tell. Write the plan as a short list of steps, each with what it changes.'
