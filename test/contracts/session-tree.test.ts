/** The tree of a session: other words, other answers, other branches, and sessions made of them. */
import { textOf, type Message } from '@dogear/core'
import { call, fail, forever, say, scriptedModel } from '@dogear/testing'
import type { Session } from '@dogear/worker'
import { expect, test } from 'vitest'
import { device, until } from './device.ts'

test('[O17] edited words stand beside the old ones, and each branch is found again as it was left', async () => {
  const { session } = await talked('one', 'two', 'three')
  const [, , two] = session.messages.value
  expect(await session.edit(two!.id, 'other')).toMatchObject({ terminalReason: 'completed', text: 'to other' })
  expect(texts(session)).toEqual(['one', 'to one', 'other', 'to other'])
  const other = session.messages.value[2]!
  expect(session.branches.value).toEqual({ [other.id]: { ids: [two!.id, other.id], index: 1 } })
  await session.goto(two!.id)
  expect(texts(session)).toEqual(['one', 'to one', 'two', 'to two', 'three', 'to three'])
  expect(session.branches.value).toEqual({ [two!.id]: { ids: [two!.id, other.id], index: 0 } })
  await session.goto(other.id)
  expect(texts(session)).toEqual(['one', 'to one', 'other', 'to other'])
})

test('[O17] another answer stands beside the first, and the model is asked as if there had been none', async () => {
  const { session, model } = await talked('one', 'two')
  await session.regenerate()
  expect(texts(session)).toEqual(['one', 'to one', 'two', 'to two'])
  expect(model.requests.at(-1)).toEqual(model.requests.at(-2))
  expect(Object.values(session.branches.value)).toEqual([{ ids: [expect.any(String), expect.any(String)], index: 1 }])
  await session.regenerate(session.messages.value[1]!.id)
  expect(texts(session)).toEqual(['one', 'to one'])
})

test('[O17] before the first message there is nothing, and what is sent then is a new beginning', async () => {
  const { session } = await talked('one')
  await session.goto(null)
  expect(texts(session)).toEqual([])
  await session.send('two')
  expect(texts(session)).toEqual(['two', 'to two'])
  const [first] = session.messages.value
  expect(session.branches.value[first!.id]).toMatchObject({ index: 1 })
})

test('[K19] an exact move stops at the message, with the results of its calls', async () => {
  const model = scriptedModel(({ messages }) =>
    messages.at(-1)?.role === 'tool' ? say('Booked.') : [say('I will.'), call('book')],
  )
  const session = await device()
    .tab({ model, tools: [{ name: 'book', func: () => 'done' }] })
    .open()
  await session.send('book')
  const [, asking] = session.messages.value
  await session.goto(asking!.id, { exact: true })
  expect(texts(session)).toEqual(['book', 'I will.', 'done'])
  await session.send('and now?')
  expect(model.requests[2]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user'])
})

test('[O17] the plan is that of the branch, also after a reload; the title is the session’s', async () => {
  const model = scriptedModel(({ messages }) => {
    const last = messages.at(-1)!
    const words = textOf(last)
    if (last.role === 'tool' || !words.startsWith('plan ')) return say(`to ${words}`)
    return [call('manage_todo_list', { operation: 'write', todoList: [{ id: 1, step: words }] })]
  })
  const world = device()
  const session = await world.tab({ model, useTodoList: true }).open()
  const steps = () => session.plan.value?.steps.map(({ step }) => step)
  await session.send('plan A')
  await session.send('plan B')
  const [a, b] = session.messages.value.filter(({ role }) => role === 'user')
  expect(steps()).toEqual(['plan B'])
  await session.edit(b!.id, 'without')
  expect(steps()).toEqual(['plan A'])
  await session.editPlan({ operation: 'write', todoList: [{ id: 1, step: 'mine' }] })
  await session.goto(b!.id)
  expect(steps()).toEqual(['plan B'])
  await session.edit(a!.id, 'nothing')
  expect(steps()).toBeUndefined()
  const without = session.branches.value
  expect(Object.keys(without)).toHaveLength(1)
  await session.goto(a!.id)
  await session.goto((await otherOf(session, b!.id))!)
  expect(steps()).toEqual(['mine'])
  expect(session.title.value).toBe('plan A')
  const again = await world.tab({ model, useTodoList: true }).open()
  expect(again.plan.value).toEqual(session.plan.value)
})

test('[O17] a branch is neither begun nor left while a turn runs or words wait', async () => {
  const model = scriptedModel([say('hi'), forever])
  const session = await device().tab({ model }).open()
  await session.send('one')
  const [one, hi] = session.messages.value
  const running = session.send('two')
  await until(() => session.status.value === 'busy')
  const refused = { refused: 'Wait until the answer is there, or stop it first.' }
  expect(await session.goto(one!.id)).toMatchObject(refused)
  expect(await session.edit(one!.id, 'other')).toMatchObject(refused)
  expect(await session.regenerate(hi!.id)).toMatchObject(refused)
  await expect(session.fork()).rejects.toMatchObject({ code: 'not-idle' })
  session.send('three')
  await until(() => session.queued.value.length === 1)
  await session.stop()
  await running
  expect(await session.goto(one!.id)).toMatchObject({
    refused: 'Words still wait to be sent: send them or take them back first.',
  })
})

test('[O17] what cannot be moved to or edited is refused in words', async () => {
  const { session } = await talked('one')
  const answer = session.messages.value[1]!
  expect(await session.goto('nowhere')).toMatchObject({ refused: 'This session has no message "nowhere".' })
  expect(await session.edit(answer.id, 'x')).toMatchObject({
    refused: 'Only the words of a person can be edited: give the id of a user message.',
  })
  expect(await session.edit(session.messages.value[0]!.id, '')).toMatchObject({
    refused: 'There is nothing to send: give it some text.',
  })
  await session.goto(null)
  expect(await session.regenerate()).toMatchObject({ refused: 'There is no answer yet that could be given anew.' })
})

test('[O17] [C56] what the model was told in a user’s name is nobody’s to edit, nor where an answer begins', async () => {
  const model = scriptedModel([say('Three.'), call('response', { rooms: 3 }), call('response', { rooms: 4 })])
  const outputSchema = { type: 'object', properties: { rooms: { type: 'number' } }, required: ['rooms'] }
  const session = await device().tab({ model, outputSchema }).open()
  await session.send('How many?')
  const nudge = session.messages.value.findLast(({ role }) => role === 'user')!
  expect(nudge.meta.origin).toBe('system')
  expect(await session.edit(nudge.id, 'x')).toMatchObject({ refused: expect.stringContaining('Only the words') })
  expect(await session.regenerate()).toMatchObject({ output: { rooms: 4 } })
  expect(
    model.requests
      .at(-1)
      ?.messages.map((message) => textOf(message))
      .at(-1),
  ).toBe('How many?')
})

test('[O17] [O12] a branch that ends before anything was said in it is left again, and a retry returns to it', async () => {
  let answer = () => fail('model-failed')
  const model = scriptedModel(({ messages }) =>
    textOf(messages.at(-1)!) === 'other' ? answer() : say(`to ${textOf(messages.at(-1)!)}`),
  )
  const session = await device().tab({ model }).open()
  await session.send('one')
  const one = session.messages.value[0]!
  expect(await session.edit(one.id, 'other')).toMatchObject({ terminalReason: 'model_error' })
  expect(texts(session)).toEqual(['one', 'to one'])
  // The words are not lost: they stand beside those that are shown.
  expect(session.branches.value[one.id]).toMatchObject({ index: 0, ids: [one.id, expect.any(String)] })
  expect(session.lastEnd.value?.error?.code).toBe('model-failed')
  answer = () => forever
  const retried = session.retry()
  await until(() => session.status.value === 'busy' && model.requests.length === 3)
  await session.stop()
  await retried
  expect(texts(session)).toEqual(['one', 'to one'])
  answer = () => say('at last')[0] as never
  await session.retry()
  expect(texts(session)).toEqual(['other', 'at last'])
})

test('[O12] a branch that is stopped keeps the words already shown', async () => {
  const model = scriptedModel([say('first'), [...say('sec'), forever]])
  const session = await device().tab({ model }).open()
  await session.send('one')
  const turn = session.regenerate()
  await until(() => session.partial.value?.text === 'sec')
  await session.stop()
  await turn
  expect(texts(session)).toEqual(['one', 'sec'])
})

test('[O17] words that wait behind a branch keep it', async () => {
  const model = scriptedModel(({ messages }) =>
    textOf(messages.at(-1)!) === 'other' ? forever : say(`to ${textOf(messages.at(-1)!)}`),
  )
  const session = await device().tab({ model }).open()
  await session.send('one')
  const edited = session.edit(session.messages.value[0]!.id, 'other')
  await until(() => session.status.value === 'busy' && model.requests.length === 2)
  await session.send('now', { when: 'now' })
  await edited
  expect(texts(session)).toEqual(['other', 'now', 'to now'])
})

test('[O17] a branch of which nothing is loaded is shown once it is', async () => {
  const world = device()
  const model = scriptedModel(({ messages }) => say(`to ${textOf(messages.at(-1)!)}`))
  const first = await world.tab({ model }).open()
  await first.send('one')
  const [one] = first.messages.value
  await first.send('two')
  await first.edit(one!.id, 'other')
  first.close()
  const session = await world.tab({ model }).open()
  expect(texts(session)).toEqual(['other', 'to other'])
  await session.goto(one!.id)
  expect(texts(session)).toEqual(['one', 'to one', 'two', 'to two'])
})

test('[K37] a fork is the path up to a message, under ids of its own, and the two go different ways', async () => {
  const { session, world, options } = await talked('one', 'two', 'three')
  const [, , , toTwo] = session.messages.value
  const fork = await session.fork({ at: toTwo!.id })
  expect(fork.id).not.toBe(session.id)
  expect(fork.title.value).toBe('one (fork)')
  expect(texts(fork)).toEqual(['one', 'to one', 'two', 'to two'])
  const ids = (messages: readonly Message[]) => messages.map(({ id }) => id)
  expect(ids(fork.messages.value).filter((id) => ids(session.messages.value).includes(id))).toEqual([])
  await fork.send('else')
  await session.send('four')
  expect(texts(fork)).toEqual(['one', 'to one', 'two', 'to two', 'else', 'to else'])
  expect(texts(session).slice(4)).toEqual(['three', 'to three', 'four', 'to four'])
  await fork.edit(fork.messages.value[0]!.id, 'anew')
  expect(texts(fork)).toEqual(['anew', 'to anew'])
  const reloaded = await world.tab(options).open(fork.id)
  expect(texts(reloaded)).toEqual(['anew', 'to anew'])
  expect((await session.fork({ title: 'Mine' })).title.value).toBe('Mine')
})

test('[K37] a fork under an id that is taken is refused, unless it is the very copy that is asked for', async () => {
  const { session, world, options } = await talked('one', 'two')
  const other = await world.tab(options).open('other')
  await other.send('private words')
  await expect(session.fork({ id: 'other' })).rejects.toMatchObject({ code: 'session-exists' })
  const [, toOne] = session.messages.value
  const copy = await session.fork({ id: 'copy', at: toOne!.id })
  await copy.send('else')
  expect(texts(await session.fork({ id: 'copy', at: toOne!.id }))).toEqual(['one', 'to one', 'else', 'to else'])
  await expect(session.fork({ id: 'copy' })).rejects.toMatchObject({ code: 'session-exists' })
  await expect(other.fork({ id: 'copy' })).rejects.toMatchObject({ code: 'session-exists' })
})

test('[K37] in a fork the plan of each message is found again, and so is what a call may reuse', async () => {
  const model = scriptedModel(({ messages }) => {
    const last = messages.at(-1)!
    const words = textOf(last)
    if (last.role === 'tool' || !words.startsWith('plan ')) return say(`to ${words}`)
    return [call('manage_todo_list', { operation: 'write', todoList: [{ id: 1, step: words }] })]
  })
  const session = await device().tab({ model, useTodoList: true }).open()
  await session.send('plan A')
  await session.send('plan B')
  const fork = await session.fork()
  const steps = () => fork.plan.value?.steps.map(({ step }) => step)
  expect(steps()).toEqual(['plan B'])
  await fork.edit(fork.messages.value.filter(({ role }) => role === 'user')[1]!.id, 'without')
  expect(steps()).toEqual(['plan A'])
})

async function talked(...words: string[]) {
  const world = device()
  const model = scriptedModel(({ messages }) => say(`to ${textOf(messages.at(-1)!)}`))
  const options = { model }
  const session = await world.tab(options).open()
  for (const each of words) await session.send(each)
  return { world, session, model, options }
}

async function otherOf(session: Session, id: string): Promise<string | undefined> {
  return session.branches.value[id]?.ids.find((other) => other !== id)
}

function texts({ messages, pending }: Session): string[] {
  return [...messages.value, ...pending.value].map(textOf)
}
