/** The pipeline, in full: every rule, mode, kind of tool, hook and taint, against a list of plain sentences. */
import { expect, test } from 'vitest'
import { decide, isRemoved, type CallQuestion, type HookDecision, type Verdict } from './decide.ts'
import { modes } from './mode.ts'

const hookSays: readonly (HookDecision | undefined)[] = [undefined, 'allow', 'ask', 'defer', 'deny']
const effects = ['read', 'idempotent', 'verify', 'once', 'page'] as const
const matching = { deny: 'act(to: x*)', ask: 'act(to: x*)', allow: 'act(to: x*)', standing: 'act(= {"to":"xy"})' }
const other = { deny: 'act(to: z*)', ask: 'b*', allow: 'act(to: z*)', standing: 'act(= {"to":"z"})' }

/** Every question there is, up to what its parts mean. */
function* questions(): Generator<{ question: CallQuestion; facts: Facts }> {
  const flags = [false, true]
  for (const mode of modes)
    for (const hook of hookSays)
      for (const effect of effects)
        for (let bits = 0; bits < 1 << 10; bits += 1) {
          const bit = (index: number) => flags[(bits >> index) & 1]!
          const facts: Facts = {
            mode,
            hook,
            isRead: effect === 'read',
            denied: bit(0),
            asked: bit(1),
            allowed: bit(2),
            standing: bit(3),
            needsApproval: bit(4),
            destructive: bit(5),
            openWorld: bit(6),
            listed: bit(7),
            tainted: bit(8),
            gesture: bit(9),
          }
          const list = (kind: keyof typeof matching, isMatching: boolean) => [
            other[kind],
            ...(isMatching ? [matching[kind]] : []),
          ]
          const question: CallQuestion = {
            tool: {
              name: 'act',
              effect,
              destructive: facts.destructive,
              openWorld: facts.openWorld,
              unlisted: !facts.listed,
              gesture: facts.gesture,
            },
            args: { to: 'xy' },
            needsApproval: facts.needsApproval,
            rules: {
              deny: list('deny', facts.denied),
              ask: list('ask', facts.asked),
              allow: list('allow', facts.allowed),
              standing: list('standing', facts.standing),
            },
            mode,
            hook,
            isTainted: facts.tainted,
          }
          yield { question, facts }
        }
}

interface Facts {
  readonly mode: string
  readonly hook?: string
  readonly isRead: boolean
  readonly denied: boolean
  readonly asked: boolean
  readonly allowed: boolean
  readonly standing: boolean
  readonly needsApproval: boolean
  readonly destructive: boolean
  readonly openWorld: boolean
  readonly listed: boolean
  readonly tainted: boolean
  readonly gesture: boolean
}

/** Slow and obvious: collects all that speaks for each outcome, and lets the strictest win. */
function expected(facts: Facts): string {
  const noes: string[] = []
  if (facts.hook === 'deny') noes.push('a hook says no')
  if (facts.denied) noes.push('a deny rule holds in every mode')
  if (facts.mode === 'plan' && !facts.isRead) noes.push('plan mode changes nothing')
  if (noes.length > 0) return 'deny'
  if (facts.hook === 'defer') return 'defer'

  const wantsEveryTime: string[] = []
  if (facts.hook === 'ask') wantsEveryTime.push('a hook wants a person')
  if (facts.asked) wantsEveryTime.push('an ask rule holds in every mode')
  if (facts.gesture) wantsEveryTime.push('only a click can start it')
  if (facts.tainted && facts.destructive) wantsEveryTime.push('strangers may have asked for harm')
  if (facts.tainted && facts.openWorld) wantsEveryTime.push('strangers may have asked for what leaves the site')

  const yeses: string[] = []
  if (facts.standing) yeses.push('the person said: always')
  if (!facts.needsApproval) {
    if (facts.listed) yeses.push('a plain tool of the page just runs')
    if (facts.allowed) yeses.push('an allow rule')
    if (facts.hook === 'allow') yeses.push('a hook says yes')
    if (facts.mode === 'bypassPermissions') yeses.push('bypass')
    if (facts.mode === 'acceptEdits' && !facts.destructive && !facts.openWorld) yeses.push('accepted')
  }
  if (wantsEveryTime.length === 0 && yeses.length > 0) return 'allow'
  if (facts.mode === 'dontAsk') return 'deny'
  if (facts.tainted && (facts.destructive || facts.openWorld)) return 'ask, and no hook may say yes'
  const mayRemember = wantsEveryTime.length === 0 && !facts.destructive
  return mayRemember ? 'ask, and may be remembered' : 'ask'
}

function inWords(verdict: Verdict): string {
  if (verdict.type !== 'ask') return verdict.type
  if (verdict.tainted && !verdict.mayRemember) return 'ask, and no hook may say yes'
  return verdict.mayRemember ? 'ask, and may be remembered' : 'ask'
}

test('[K34] [T4] every rule × mode × kind of tool × hook × taint × listed is decided as the sentences say', () => {
  let count = 0
  const wrong: unknown[] = []
  const seen = new Set<string>()
  for (const { question, facts } of questions()) {
    count += 1
    const got = inWords(decide(question))
    seen.add(got)
    if (got !== expected(facts)) wrong.push({ facts, got, expected: expected(facts) })
  }
  expect(wrong.slice(0, 3)).toEqual([])
  expect(count).toBe(5 * 5 * 5 * 1024)
  expect([...seen].sort()).toEqual([
    'allow',
    'ask',
    'ask, and may be remembered',
    'ask, and no hook may say yes',
    'defer',
    'deny',
  ])
})

test('[T4] whatever is allowed, nothing destructive or open-world runs by itself in a tainted turn', () => {
  for (const { question, facts } of questions()) {
    if (!facts.tainted || !(facts.destructive || facts.openWorld)) continue
    if (decide(question).type === 'allow') throw new Error(JSON.stringify(facts))
  }
})

test('[K34] a denial says which rule it was, and a question which rule wants it', () => {
  const { value } = questions().next() as { value: { question: CallQuestion } }
  const base = value.question
  const rules = { deny: [], ask: [], allow: [], standing: [] }
  expect(decide({ ...base, rules: { ...rules, deny: ['a*'] } })).toEqual({ type: 'deny', by: 'rule', rule: 'a*' })
  expect(decide({ ...base, rules: { ...rules, ask: ['act'] } })).toMatchObject({ type: 'ask', rule: 'act' })
})

test('[K7] only a bare name takes a tool away', () => {
  expect(isRemoved(['pay'], 'pay')).toBe(true)
  expect(isRemoved(['mcp__*'], 'mcp__files')).toBe(true)
  expect(isRemoved(['pay(to: x)'], 'pay')).toBe(false)
  expect(isRemoved(['pay'], 'payment')).toBe(false)
  expect(isRemoved(undefined, 'pay')).toBe(false)
})
