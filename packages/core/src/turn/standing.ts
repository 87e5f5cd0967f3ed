/** What holds for a call before anybody is asked about it: the mode, the rules, and whether strangers have had a say. */
import { DogearError } from '../error.ts'
import type { Rules } from '../permission/decide.ts'
import { modes, type PermissionMode } from '../permission/mode.ts'
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

/** Those of this user are read at every call: what is denied or taken back in another tab holds at once. */
export async function rulesOf(run: Run): Promise<Rules> {
  const { name, permissions } = run.agent()
  const { allow, deny, ask } = permissions
  const set = [...sessionRules(run), ...((await run.kept?.rules(name)) ?? [])]
  const given = (decision: RuleSet['decision']) => givenRules(set, name, decision)
  return { allow, deny: [...deny, ...given('deny')], ask: [...ask, ...given('ask')], standing: given('allow') }
}

/** Another agent's tool of the same name is another tool. */
export function givenRules(set: readonly RuleSet[], agent: string, decision: RuleSet['decision']): string[] {
  return set.flatMap((each) => (each.agent === agent && each.decision === decision ? each.rule : []))
}

/** What a person or the page has said in this session. */
export function sessionRules(run: Run): readonly RuleSet[] {
  return run.above ? sessionRules(run.above) : (headOf(run).rules ?? [])
}

/** The head is written with every turn. */
const rulesKept = 200

/** Before a rule that allows; what holds a call up is never refused for room. */
export function checkRuleRoom(count: number): void {
  if (count <= rulesKept) return
  const what = `A session keeps ${rulesKept} rules: do without "always", or take some back first.`
  throw new DogearError('request-invalid', what)
}

/** The words of a worker's task may be a stranger's too. */
export function isTainted(run: Run): boolean {
  return turnOf(run).tainted === true || (run.above !== undefined && isTainted(run.above))
}
