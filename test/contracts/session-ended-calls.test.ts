/** What a session promises about a call that has ended, when a stop or another owner comes before its result is written. */
import { defineAgent, textOf, type EntryOf, type ModelRequest, type SmartAgentOptions } from '@dogear/core'
import { call, say, scriptedModel } from '@dogear/testing'
import type { Session } from '@dogear/worker'
import { expect, test } from 'vitest'
import { device, until, type Device, type Tab } from './device.ts'

test('[G4] [O12] stopped while a hook looks at its result, a call that has ended is told as such, and its result is withheld', async () => {
  const here = device()
  const look = held()
  const session = await here.tab({ ...paying(), hooks: { PostToolUse: [{ hooks: [look.enter] }] } }).open()
  const turn = session.send('pay')
  await until(() => look.entered() === 1)
  await session.stop()
  await turn
  const result = await resultIn(here)
  expect(result?.content).toMatch(/^The result of pay was withheld/)
  expect(result?.unknown).toBeUndefined()
  expect(look.signal()?.aborted).toBe(true)
})

test('[G3] [G4] let go while a hook looks at its result, a call that has ended is asked about by nobody for long', async () => {
  const here = device()
  const look = held()
  const options = { ...paying(), hooks: { PostToolUse: [{ hooks: [look.enter] }] } }
  const tab = here.tab(options)
  const first = await tab.open()
  void first.send('pay')
  await until(() => look.entered() === 1)
  await letGo(tab, first)
  const session = await here.tab(options).open()
  look.answer(rewritten('receipt, read by a hook'))
  await until(() => session.status.value === 'idle')
  expect(results(options.model.requests[1])).toEqual(['receipt, read by a hook'])
  expect(options.entered()).toBe(1)
})

test('[G3] [G4] a call that ends after its host has let go is seen by the hooks all the same', async () => {
  const here = device()
  let finish: (result: string) => void = () => {}
  const seen: unknown[] = []
  const hook = (input: unknown) => (seen.push(input), rewritten('as the hook says'))
  const func = () => new Promise<string>((resolve) => (finish = resolve))
  const options = { ...paying(func), hooks: { PostToolUse: [{ hooks: [hook] }] } }
  const tab = here.tab(options)
  const first = await tab.open()
  void first.send('pay')
  await until(() => options.entered() === 1)
  await letGo(tab, first)
  const session = await here.tab(options).open()
  finish('receipt 7')
  await until(() => session.status.value === 'idle')
  expect(results(options.model.requests[1])).toEqual(['as the hook says'])
  expect(seen).toHaveLength(1)
  expect(options.entered()).toBe(1)
})

test.each([
  ['stopped', 1, async (_here: Device, _tab: Tab, session: Session) => session.stop()],
  ['let go', 1, async (_here: Device, tab: Tab, session: Session) => letGo(tab, session)],
  // The same page drives again by then, and tries again as it would have.
  ['fenced', 2, async ({ store }: Device) => void (await store.acquire('s1', { agent: 'tester', at: 0 }))],
] as const)(
  '[G3] [G4] %s before a call is tried again, its error is told, and nobody is asked',
  async (_what, tries, end) => {
    const here = device()
    const retry = { maxRetries: 1, backoffMs: 100, shouldRetry: () => true }
    const options = paying(() => {
      throw new Error('The till is closed.')
    }, retry)
    const tab = here.tab(options)
    const first = await tab.open()
    void first.send('pay')
    await until(() => options.entered() === 1)
    // The page has told the worker, and the worker waits.
    await new Promise((resolve) => setTimeout(resolve, 20))
    await end(here, tab, first)
    const session = await here.tab(options).open()
    await until(() => session.status.value === 'idle')
    const result = await resultIn(here)
    expect(result).toMatchObject({ status: 'error', content: 'Error executing tool: The till is closed.' })
    expect(result?.unknown).toBeUndefined()
    expect((await here.store.entries('s1', 0)).some(({ type }) => type === 'request-open')).toBe(false)
    expect(options.entered()).toBe(tries)
  },
)

function paying(func: () => unknown = () => 'receipt 7', retry?: object) {
  let entered = 0
  const model = scriptedModel([call('pay'), say('Paid.')])
  const tools = [{ name: 'pay', func: () => ((entered += 1), func()), retry }]
  return { model, tools, entered: () => entered } satisfies SmartAgentOptions & { entered: () => number }
}

/** A hook that answers the first call when it is told to, and the others at once. */
function held() {
  let entered = 0
  let signal: AbortSignal | undefined
  let answer: (output: object) => void = () => {}
  return {
    enter: (_input: unknown, _id: unknown, options: { signal: AbortSignal }) => {
      signal = options.signal
      return (entered += 1) === 1 ? new Promise<object>((resolve) => (answer = resolve)) : {}
    },
    entered: () => entered,
    signal: () => signal,
    answer: (output: object) => answer(output),
  }
}

function rewritten(updatedToolOutput: string) {
  return { hookSpecificOutput: { hookEventName: 'PostToolUse', updatedToolOutput } } as const
}

/** Another user comes: the host lets go of what the one before left at work. */
async function letGo(tab: Tab, session: Session): Promise<void> {
  session.close()
  await tab.client.open(defineAgent({ name: 'tester', user: 'next', model: scriptedModel([]) }), { type: 'new' })
}

async function resultIn({ store }: Device) {
  const entries = (await store.entries('s1', 0)).filter(({ type }) => type === 'tool-result')
  expect(entries).toHaveLength(1)
  return (entries[0] as EntryOf<'tool-result'> | undefined)?.result
}

function results(request: ModelRequest | undefined): string[] {
  return (request?.messages ?? []).filter(({ role }) => role === 'tool').map((message) => textOf(message))
}
