/** Which session a `query()` speaks in: its own, one that goes on, or a copy. In Node, through the real client, host and journal. */
import { call, forever, say, scriptedModel } from '@dogear/testing'
import { createSmartAgent, query, textOf, type ModelRequest, type QueryOptions, type SDKMessage } from 'dogear'
import { expect, test } from 'vitest'

/** Says what it was told so far. */
const echo = () => scriptedModel((request) => say(`heard ${wordsOf(request).join(', ')}`))

test('[K19] a query has a session of its own, by the id and with the title it was given', async () => {
  const messages = await all('One', { model: echo(), sessionId: 'own', title: 'Mine' })
  expect(messages[0]).toMatchObject({ subtype: 'init', session_id: 'own' })
  expect(await sessions().get('own')).toMatchObject({ title: 'Mine', messageCount: 2 })
  await expect(all('Two', { model: echo(), sessionId: 'own' })).rejects.toMatchObject({
    code: 'session-exists',
    message: expect.stringMatching(/resume/),
  })
})

test('[K19] resume goes on with a session, and keeps the title it has', async () => {
  await all('One', { model: echo(), sessionId: 'long', title: 'First' })
  const messages = await all('Two', { model: echo(), resume: 'long', title: 'Second' })
  expect(messages[0]).toMatchObject({ session_id: 'long' })
  expect(messages.at(-1)).toMatchObject({ result: 'heard One, Two' })
  expect(await sessions().get('long')).toMatchObject({ title: 'First', messageCount: 4 })
  await expect(all('Hm', { model: echo(), resume: 'nobody' })).rejects.toMatchObject({ code: 'session-missing' })
})

test('[K19] continue goes on with the newest session of its agent and user, or begins the first', async () => {
  const user = 'continuer'
  const first = await all('One', { model: echo(), user, continue: true })
  const second = await all('Two', { model: echo(), user, continue: true })
  expect(second[0]!.session_id).toBe(first[0]!.session_id)
  expect(second.at(-1)).toMatchObject({ result: 'heard One, Two' })
  expect((await all('Three', { model: echo(), user: 'somebody', continue: true })).at(-1)).toMatchObject({
    result: 'heard Three',
  })
})

test('[K19] forkSession goes on in a copy, under an id of its own or the one given', async () => {
  await all('One', { model: echo(), sessionId: 'trunk' })
  const copied = await all('Two', {
    model: echo(),
    resume: 'trunk',
    forkSession: true,
    sessionId: 'branch',
    title: 'B',
  })
  expect(copied[0]).toMatchObject({ session_id: 'branch' })
  expect(copied.at(-1)).toMatchObject({ result: 'heard One, Two' })
  expect(await sessions().get('trunk')).toMatchObject({ messageCount: 2 })
  expect(await sessions().get('branch')).toMatchObject({ title: 'B', messageCount: 4 })
  const [init] = await all('Three', { model: echo(), resume: 'trunk', forkSession: true })
  expect(init!.session_id).not.toBe('trunk')
})

test('[K19] resumeSessionAt goes on after that message; what came later stays, as a branch', async () => {
  const first = await all('One', { model: echo(), sessionId: 'back' })
  await all('Two', { model: echo(), resume: 'back' })
  const at = first.find((message) => message.type === 'assistant')!.uuid
  const again = await all('Three', { model: echo(), resume: 'back', resumeSessionAt: at })
  expect(again.at(-1)).toMatchObject({ result: 'heard One, Three' })
  const forked = await all('Four', { model: echo(), resume: 'back', forkSession: true, resumeSessionAt: at })
  expect(forked.at(-1)).toMatchObject({ result: 'heard One, Four' })
  await expect(all('Hm', { model: echo(), resume: 'back', resumeSessionAt: 'x' })).rejects.toMatchObject({
    code: 'input-invalid',
  })
})

test('[K19] resumeDropsTurn leaves that turn behind, and nothing else', async () => {
  const first = await all('One', { model: echo(), sessionId: 'dropped' })
  const second = await all('Two', { model: echo(), resume: 'dropped' })
  const uuidOf = (type: string, messages: readonly SDKMessage[]) =>
    messages.find((message) => message.type === type)!.uuid
  const back = { resume: 'dropped', resumeSessionAt: uuidOf('assistant', first) }
  const dropsTurn = { ...back, resumeDropsTurn: uuidOf('user', second) }
  const third = await all('Three', { model: echo(), ...dropsTurn })
  expect(third.at(-1)).toMatchObject({ result: 'heard One, Three' })
  // The turn of Three stands there by now.
  await expect(all('Four', { model: echo(), ...dropsTurn })).rejects.toMatchObject({ code: 'input-invalid' })
  const fork = { ...back, forkSession: true, resumeDropsTurn: uuidOf('user', third) }
  expect((await all('Five', { model: echo(), ...fork })).at(-1)).toMatchObject({ result: 'heard One, Five' })
})

test('[K19] persistSession: false leaves no session behind', async () => {
  const messages = await all('One', { model: echo(), persistSession: false, sessionId: 'secret', user: 'shy' })
  expect(messages.at(-1)).toMatchObject({ result: 'heard One', session_id: 'secret' })
  expect(await createSmartAgent({ name: 'query', user: 'shy', endpoint: '/' }).sessions.list()).toEqual([])
})

test.each<[QueryOptions, RegExp]>([
  [{ sessionId: 'a', resume: 'b' }, /forkSession/],
  [{ sessionId: 'a', continue: true }, /forkSession/],
  [{ resume: 'a', continue: true }, /not both/],
  [{ forkSession: true }, /resume or continue/],
  [{ resumeSessionAt: 'm' }, /resume or continue/],
  [{ persistSession: false, resume: 'a' }, /persisted/],
])('[K19] %o is refused at once', (options, message) => {
  expect(() => query({ prompt: 'x', options })).toThrow(
    expect.objectContaining({ code: 'input-invalid', message: expect.stringMatching(message) }),
  )
})

test('[K19] [K28] a turn that the session had open is not the query’s: it has one result, its own', async () => {
  const book = { name: 'book', needsApproval: true, func: () => 'booked' }
  const model = scriptedModel((request) => {
    const last = request.messages.at(-1)!
    if (last.role === 'tool') return say('Not booked.')
    return textOf(last) === 'Book it' ? call('book') : say('Later.')
  })
  const agent = createSmartAgent({ name: 'query', model, tools: [book] })
  const session = await agent.open('paused')
  await session.send('Book it')
  session.close()
  const messages = await all('And now?', { model, tools: [book], resume: 'paused' })
  expect(messages.filter(({ type }) => type === 'result')).toMatchObject([{ result: 'Later.' }])
  const texts = messages.flatMap((message) => (message.type === 'assistant' ? message.message.content : []))
  expect(texts).toEqual([{ type: 'text', text: 'Later.' }])
})

test('[K19] [O16] the model that was chosen in a session answers when it goes on', async () => {
  const model = () => scriptedModel((request) => say(request.model))
  const first = query({ prompt: 'One', options: { model: model(), sessionId: 'models' } })
  await first.setModel('chosen')
  await drained(first)
  const name = async (options: QueryOptions) => (await all('x', { resume: 'models', ...options })).at(-1)
  expect(await name({ model: model() })).toMatchObject({ result: 'chosen' })
})

test('[K40] the receipt of an interrupt names the messages that wait behind, by the uuids they will have', async () => {
  const model = scriptedModel((request) => (wordsOf(request).length === 1 ? [say('…'), forever] : say('Done.')))
  async function* questions() {
    yield user('One')
    yield user('Two')
  }
  const asked = query({ prompt: questions(), options: { model, includePartialMessages: true } })
  const uuids: string[] = []
  let receipt: readonly string[] = []
  for await (const message of asked) {
    if (message.type === 'user') uuids.push(message.uuid)
    if (message.type === 'stream_event' && message.event.type === 'content_block_delta' && !receipt.length) {
      receipt = (await asked.interrupt()).still_queued
    }
  }
  expect(receipt).toEqual([uuids[1]])
})

test('[K26] queries at once ask each their own model, their own tools and their own agents', async () => {
  const ask = (name: string) => {
    const model = scriptedModel((request, n) =>
      textOf(request.messages[0]!).includes('You help.')
        ? say(`help of ${name}`)
        : n === 0
          ? [call('whose'), call('delegate_to', { agent: 'helper', task: 'help' })]
          : say(
              `${name}: ${request.messages
                .filter(({ role }) => role === 'tool')
                .map(textOf)
                .join(', ')}`,
            ),
    )
    const tools = [{ name: 'whose', func: () => `tool of ${name}` }]
    const agents = { helper: { description: 'Helps', prompt: 'You help.', tools: [] } }
    return all('go', { model, tools, agents })
  }
  const results = (await Promise.all(['one', 'two', 'three'].map(ask))).map((messages) => messages.at(-1))
  expect(results).toMatchObject(
    ['one', 'two', 'three'].map((name) => ({ result: `${name}: tool of ${name}, help of ${name}` })),
  )
})

/** Those of the agent that queries have by default. */
function sessions() {
  return createSmartAgent({ name: 'query', endpoint: '/' }).sessions
}

async function all(prompt: string, options: QueryOptions): Promise<SDKMessage[]> {
  return drained(query({ prompt, options }))
}

async function drained(asked: AsyncIterable<SDKMessage>): Promise<SDKMessage[]> {
  const messages: SDKMessage[] = []
  for await (const message of asked) messages.push(message)
  return messages
}

function user(content: string) {
  return { type: 'user', message: { role: 'user', content } } as const
}

function wordsOf({ messages }: ModelRequest): string[] {
  return messages.filter(({ role }) => role === 'user').map((message) => textOf(message))
}
