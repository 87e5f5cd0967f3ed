/** Any sequence of sends, edits, other answers, moves, rewinds and reloads: the tree is what a slow and obvious one is. */
import { emptyHead, foldOf, pathOf, reduce, textOf, type Message, type Store } from '@dogear/core'
import { openMemoryStore } from '@dogear/store'
import { call, say, scriptedModel } from '@dogear/testing'
import type { Session } from '@dogear/worker'
import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { device } from './device.ts'

test('[O17] [K23] [K37] whatever is done in whatever order, path, plan, branches and forks are what they ought to be', async () => {
  await fc.assert(fc.asyncProperty(fc.array(anyDeed, { minLength: 1, maxLength: 12 }), lived), { numRuns: 60 })
}, 120_000)

test('[O17] editing words of a branch that was not shown since the reload shows all that led to them', () =>
  lived([
    { type: 'say', at: 0 },
    { type: 'say', at: 0 },
    { type: 'again', at: 0 },
    { type: 'reload', at: 0 },
    { type: 'edit', at: 1 },
  ]))

type Deed = { readonly type: (typeof deeds)[number]; readonly at: number }

const deeds = ['say', 'plan', 'plan', 'edit', 'again', 'goto', 'exact', 'rewind', 'mine', 'reload', 'fork'] as const
const anyDeed: fc.Arbitrary<Deed> = fc.record({
  type: fc.constantFrom(...deeds),
  at: fc.nat(30),
})

/** What the person and the agent said, and the plan that held when it was the last. */
interface Said {
  readonly id: string
  readonly parent: string | null
  readonly role: Message['role']
  plan: string | undefined
}

async function lived(story: readonly Deed[]): Promise<void> {
  const store = openMemoryStore()
  const world = device(store)
  const options = {
    model,
    useTodoList: true,
    tools: [{ name: 'noop', func: () => 'ok' }],
  }
  let tab = world.tab(options)
  let session = await tab.open()
  const tree = new Map<string, Said>()
  const lastChild = new Map<string | null, string>()
  let leaf: string | null = null
  let planBefore: string | undefined

  const visit = (id: string | null) => {
    for (let at = id; at !== null; at = tree.get(at)!.parent) lastChild.set(tree.get(at)!.parent, at)
    leaf = id
  }
  /** What a turn added below `from`, with the plan it began with and the one it made. */
  const grown = (from: string | null, began: string | undefined, made?: string) => {
    let parent = from
    let plan = began
    for (const { id, role } of session.messages.value.slice(lengthOf(tree, from))) {
      // The plan is written just before its result.
      if (role === 'tool' && made !== undefined) plan = made
      tree.set(id, { id, parent, role, plan })
      // Set while the message that asks for it is still the last.
      if (role === 'tool' && made !== undefined && parent !== null) tree.get(parent)!.plan = made
      parent = id
    }
    visit(parent)
  }
  const planAt = (id: string | null) => (id === null ? planBefore : tree.get(id)!.plan)
  const some = (at: number, isMeant: (said: Said) => boolean) => {
    const found = [...tree.values()].filter(isMeant)
    return found[at % (found.length || 1)]
  }
  const isEnd = ({ id, role }: Said) => role === 'user' || (role === 'assistant' && !hasCalls(id, tree))
  let words = 0

  for (const { type, at } of story) {
    const before: string | null = leaf
    if (type === 'say' || type === 'plan') {
      const text: string = `${type} ${(words += 1)}`
      await session.send(text)
      grown(before, planAt(before), type === 'plan' ? text : undefined)
    } else if (type === 'edit') {
      const user = some(at, ({ role }) => role === 'user')
      if (!user) continue
      await session.edit(user.id, `say ${(words += 1)}`)
      // On a branch that this page had not shown, what came before loads by itself.
      await vi.waitFor(() => expect(session.hasOlder.value).toBe(false))
      grown(user.parent, planAt(user.parent))
    } else if (type === 'again') {
      const user = some(at, ({ role }) => role === 'user')
      if (!user) continue
      const text = textAt(await bodies(store), user.id)
      await session.regenerate(user.id)
      grown(user.id, planAt(user.id), text.startsWith('plan') ? text : undefined)
    } else if (type === 'goto') {
      const target = some(at, () => true)
      if (!target) continue
      await session.goto(target.id)
      let end = target.id
      while (lastChild.has(end)) end = lastChild.get(end)!
      visit(end)
    } else if (type === 'exact' || type === 'rewind') {
      const target = some(at, isEnd)
      if (!target) continue
      if (type === 'exact') await session.goto(target.id, { exact: true })
      else await session.rewind(target.id)
      visit(target.id)
    } else if (type === 'mine') {
      const step = `mine ${(words += 1)}`
      await session.editPlan({
        operation: 'write',
        todoList: [{ id: 1, step }],
      })
      if (leaf === null) planBefore = step
      else tree.get(leaf)!.plan = step
    } else if (type === 'reload') {
      tab.kill()
      tab = world.tab(options)
      session = await tab.open()
    } else {
      const fork = await session.fork()
      expect(texts(fork)).toEqual(texts(session))
      expect(planOf(fork)).toBe(planOf(session))
      const ids = new Set(session.messages.value.flatMap(idsOf))
      expect(fork.messages.value.flatMap(idsOf).filter((id) => ids.has(id))).toEqual([])
      fork.close()
    }
    await check()
  }
  tab.kill()

  async function check(): Promise<void> {
    const expected: string[] = []
    for (let at = leaf; at !== null; at = tree.get(at)!.parent) expected.unshift(at)
    expect(session.messages.value.map(({ id }) => id)).toEqual(expected)
    expect(planOf(session)).toBe(planAt(leaf))
    const fold = foldOf(emptyHead('s1', 'tester'))
    for (const entry of await store.entries('s1', 0)) reduce(fold, entry)
    expect(pathOf(fold).map(({ id }) => id)).toEqual(expected)
    expect(fold.head.plan).toEqual(session.plan.value)
    expect(fold.head.usage).toEqual(session.usage.value)
    for (const id of expected) {
      const beside = [...tree.values()].filter(({ parent }) => parent === tree.get(id)!.parent).map((said) => said.id)
      const told = session.branches.value[id]
      expect(told ?? { ids: [id], index: 0 }).toEqual({
        ids: beside,
        index: beside.indexOf(id),
      })
    }
  }
}

const model = scriptedModel(({ messages }) => {
  const last = messages.at(-1)!
  const words = textOf(last)
  if (last.role === 'tool' || !words.startsWith('plan ')) return say(`to ${words}`)
  return [
    call('manage_todo_list', {
      operation: 'write',
      todoList: [{ id: 1, step: words }],
    }),
  ]
})

function lengthOf(tree: ReadonlyMap<string, Said>, id: string | null): number {
  return id === null ? 0 : lengthOf(tree, tree.get(id)!.parent) + 1
}

function hasCalls(id: string, tree: ReadonlyMap<string, Said>): boolean {
  return [...tree.values()].some(({ parent, role }) => parent === id && role === 'tool')
}

async function bodies(store: Store): Promise<Map<string, Message>> {
  const fold = foldOf(emptyHead('s1', 'tester'))
  for (const entry of await store.entries('s1', 0)) reduce(fold, entry)
  return fold.bodies
}

function textAt(all: ReadonlyMap<string, Message>, id: string): string {
  return textOf(all.get(id)!)
}

function idsOf({ id, tool_calls: calls = [] }: Message): string[] {
  return [id, ...calls.map((each) => each.id)]
}

function planOf({ plan }: Session): string | undefined {
  return plan.value?.steps[0]?.step
}

function texts({ messages }: Session): string[] {
  return messages.value.map(textOf)
}
