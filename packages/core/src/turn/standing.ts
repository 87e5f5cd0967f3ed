/** What holds for a call before anybody is asked about it: the mode, the rules, and whether strangers have had a say. */
import type { Rules } from '../permission/decide.ts'
import { modes, type PermissionMode } from '../permission/mode.ts'
import type { RuleRecord } from '../ports/store.ts'
import type { RuleSet } from '../session/state.ts'
import { headOf, turnOf, type Run } from './run.ts'

/** A worker is held by the mode of whoever it works for, and by its own where that is stricter. */
export function modeOf(run: Run): PermissionMode {
  const { mode: own, mayBypass } = run.agent().permissions
  const above = run.above ? modeOf(run.above) : headOf(run).settings.mode
  const isStrict = run.above && (above === 'default' || own === 'plan' || own === 'dontAsk')
  const mode = isStrict || !modes.includes(above as PermissionMode) ? own : (above as PermissionMode)
  // Whatever the journal says: the page that drives it must have allowed it.
  return mode === 'bypassPermissions' && !mayBypass ? 'default' : mode
}

/** `kept`: those of this user, beyond the session. */
export function rulesOf(run: Run, kept: readonly RuleRecord[] = []): Rules {
  const { allow, deny, ask } = run.agent().permissions
  const given = (decision: RuleSet['decision']) => givenRules(run, decision, kept)
  return { allow, deny: [...deny, ...given('deny')], ask: [...ask, ...given('ask')], standing: given('allow') }
}

/** What a person or the page has said in this session. */
export function givenRules(run: Run, decision: RuleSet['decision'], kept: readonly RuleRecord[] = []): string[] {
  const { name } = run.agent()
  const set: readonly RuleSet[] = [...(sessionRun(run).journal.fold.head.rules ?? []), ...kept]
  // Another agent's tool of the same name is another tool.
  return set.flatMap((each) => (each.agent === name && each.decision === decision ? each.rule : []))
}

/** The words of a worker's task may be a stranger's too. */
export function isTainted(run: Run): boolean {
  return turnOf(run).tainted === true || (run.above !== undefined && isTainted(run.above))
}

function sessionRun(run: Run): Run {
  return run.above ? sessionRun(run.above) : run
}
