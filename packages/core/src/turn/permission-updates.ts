/** `updatedPermissions`: rules and a mode that come with a yes, for the session or for the user. */
import { describeError } from '../error.ts'
import { ruleText, type PermissionUpdate } from '../permission/can-use-tool.ts'
import { checkMode } from '../permission/mode.ts'
import { parseRule } from '../permission/rule.ts'
import type { NewEntry } from '../session/journal.ts'
import type { Run } from './run.ts'
import { checkRuleRoom, givenRules, sessionRules } from './standing.ts'

/** Of the session: in the journal. Of the user: in the store, before the journal says anything of it. */
export async function permissionEntries(run: Run, updates: readonly PermissionUpdate[]): Promise<NewEntry[]> {
  const entries: NewEntry[] = []
  for (const update of updates) {
    try {
      entries.push(...(await entriesOf(run, update)))
    } catch (error) {
      run.warn(`updatedPermissions: ${describeError(error)}`)
    }
  }
  return entries
}

async function entriesOf(run: Run, update: PermissionUpdate): Promise<NewEntry[]> {
  const { name: agent, permissions } = run.agent()
  if (update.type === 'setMode')
    return [{ type: 'meta-set', mode: checkMode(update.mode, permissions.mayBypass), path: [] }]
  const { type, behavior, destination = 'session' } = update
  const rules = update.rules.map(ruleText)
  rules.forEach(parseRule)
  const kept = destination === 'session' ? undefined : run.kept
  const added = type === 'removeRules' ? [] : rules
  const before = kept ? await kept.rules(agent) : sessionRules(run)
  const dropped = type === 'replaceRules' ? givenRules(before, agent, behavior) : type === 'addRules' ? [] : rules
  if (kept) {
    for (const rule of dropped) await kept.drop(agent, rule)
    for (const rule of added) await kept.add({ agent, rule, decision: behavior })
    return []
  }
  if (added.length && behavior === 'allow') checkRuleRoom(before.length - dropped.length + added.length)
  return [
    ...dropped.map((rule) => ({ rule, decision: null })),
    ...added.map((rule) => ({ rule, decision: behavior })),
  ].map((set) => ({ type: 'rule-set', ...set, agent, path: [] }))
}
