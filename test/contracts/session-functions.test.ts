/** Sessions as functions beside `query()`: the same store, without an agent. */
import { call, cut, pause, say, scriptedModel } from '@dogear/testing'
import {
  archiveSession,
  createSmartAgent,
  deleteSession,
  forkSession,
  getSessionInfo,
  getSessionMessages,
  getSubagentMessages,
  listSessions,
  listSubagents,
  query,
  renameSession,
  tagSession,
  unarchiveSession,
  type QueryOptions,
  type SDKMessage,
} from 'dogear'
import { expect, test } from 'vitest'
import { until } from './device.ts'

const fine = () => scriptedModel(() => say('Fine.'))

test('[K37] what queries left is listed newest first, and told in the shape of its kind', async () => {
  const user = 'lister'
  await all('Three nights in Lisbon', { model: fine(), user, sessionId: 'a' })
  await all('One night', { model: fine(), user, sessionId: 'b', title: 'Porto' })
  const infos = await listSessions({ user })
  expect(infos).toEqual([
    {
      sessionId: 'b',
      summary: 'Porto',
      customTitle: 'Porto',
      firstPrompt: 'One night',
      lastModified: expect.any(Number),
      createdAt: expect.any(Number),
      archived: false,
      agent: 'query',
    },
    expect.objectContaining({ sessionId: 'a', summary: 'Three nights in Lisbon', customTitle: undefined }),
  ])
  expect(await listSessions({ user, limit: 1 })).toEqual([infos[0]])
  expect(await getSessionInfo('a', { user })).toEqual(infos[1])
  expect(await getSessionInfo('a')).toBeUndefined()
  expect(await listSessions({ user, agent: 'concierge' })).toEqual([])
})

test('[K37] the sessions of every agent of a user are there, and `agent` narrows to those of one', async () => {
  const user = 'several'
  const agent = createSmartAgent({ name: 'concierge', user, model: fine() })
  const session = await agent.open('chat')
  await session.send('Hello')
  session.close()
  await all('Hi', { model: fine(), user, sessionId: 'asked' })
  expect((await listSessions({ user })).map(({ agent: name }) => name)).toEqual(['query', 'concierge'])
  expect((await listSessions({ user, agent: 'concierge' })).map(({ sessionId }) => sessionId)).toEqual(['chat'])
  await expect(renameSession('chat', 'x', { user, agent: 'query' })).rejects.toMatchObject({
    code: 'session-agent-mismatch',
  })
  await deleteSession('chat', { user, agent: 'query' })
  expect(await getSessionInfo('chat', { user })).toBeDefined()
})

test('[K37] messages come as the query told them, by the same uuids, in pages', async () => {
  const model = scriptedModel([[say('Adding.'), call('add', { a: 1 })], say('Two.'), say('Bye.')])
  const add = { name: 'add', func: () => 2 }
  const first = await all('1 + 1?', { model, tools: [add], sessionId: 'sum' })
  await all('Thanks', { model, tools: [add], resume: 'sum' })
  const messages = await getSessionMessages('sum')
  expect(messages.map(({ type, message }) => [type, message.content])).toEqual([
    ['user', '1 + 1?'],
    [
      'assistant',
      [
        { type: 'text', text: 'Adding.' },
        { type: 'tool_use', id: expect.any(String), name: 'add', input: { a: 1 } },
      ],
    ],
    ['user', [{ type: 'tool_result', tool_use_id: expect.any(String), content: '2' }]],
    ['assistant', [{ type: 'text', text: 'Two.' }]],
    ['user', 'Thanks'],
    ['assistant', [{ type: 'text', text: 'Bye.' }]],
  ])
  const told = first.filter(({ type }) => type === 'user' || type === 'assistant').map(({ uuid }) => uuid)
  expect(messages.slice(0, 4).map(({ uuid }) => uuid)).toEqual(told)
  expect(messages.every((one) => one.session_id === 'sum' && one.parent_tool_use_id === null)).toBe(true)
  expect(await getSessionMessages('sum', { offset: 1, limit: 2 })).toEqual(messages.slice(1, 3))
  expect(await getSessionMessages('nobody')).toEqual([])
})

test('[K37] [G8] an answer that was cut off is among the messages, as the chat shows it', async () => {
  await all('Go on', { model: scriptedModel(() => [say('Half an answ'), cut()]), sessionId: 'cut' })
  const half = [{ type: 'text', text: 'Half an answ' }]
  const contents = (await getSessionMessages('cut')).map(({ message }) => message.content)
  expect(contents).toEqual(['Go on', half, half, half])
})

test('[K37] what the model was told in nobody’s name comes only when it is asked for', async () => {
  const model = scriptedModel([say('Lisbon.'), call('response', { city: 'Lisbon' })])
  const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
  await all('Where?', { model, outputFormat: { type: 'json_schema', schema }, sessionId: 'nudged' })
  const types = async (includeSystemMessages: boolean) =>
    (await getSessionMessages('nudged', { includeSystemMessages })).map(({ type }) => type)
  expect(await types(true)).toEqual(['user', 'assistant', 'system', 'assistant', 'user'])
  expect(await types(false)).toEqual(['user', 'assistant', 'assistant', 'user'])
})

test('[K37] a session is renamed, tagged, put away and deleted by its id alone', async () => {
  await all('Hello', { model: fine(), sessionId: 'kept' })
  await renameSession('kept', 'Named')
  await tagSession('kept', 'work')
  expect(await getSessionInfo('kept')).toMatchObject({ customTitle: 'Named', summary: 'Named', tag: 'work' })
  await tagSession('kept', null)
  await archiveSession('kept')
  expect(await getSessionInfo('kept')).toMatchObject({ tag: undefined, archived: true })
  expect((await listSessions()).some(({ sessionId }) => sessionId === 'kept')).toBe(false)
  expect((await listSessions({ archived: true })).map(({ sessionId }) => sessionId)).toContain('kept')
  await unarchiveSession('kept')
  await deleteSession('kept')
  await deleteSession('kept')
  expect(await getSessionInfo('kept')).toBeUndefined()
  await expect(renameSession('kept', 'x')).rejects.toMatchObject({ code: 'session-missing' })
})

test('[T16] [T18] deleting a session of one user leaves another user’s of the same id alone, also while it is answered', async () => {
  let answer = () => {}
  const thought = new Promise<void>((resolve) => (answer = resolve))
  await all('One', { model: fine(), user: 'ann', sessionId: 'main' })
  const model = scriptedModel([[say('half'), pause(thought), say(' and whole')]])
  const session = await createSmartAgent({ user: 'bob', model }).open('main')
  const turn = session.send('Two')
  await until(() => session.partial.value?.text === 'half')
  await deleteSession('main', { user: 'ann' })
  answer()
  expect(await turn).toMatchObject({ text: 'half and whole' })
  expect(session.messages.value).toHaveLength(2)
  expect(await getSessionInfo('main', { user: 'ann' })).toBeUndefined()
})

test('[K37] a fork has the messages up to and including one, under uuids of its own', async () => {
  await all('One', { model: fine(), sessionId: 'whole' })
  await all('Two', { model: fine(), resume: 'whole' })
  const whole = await getSessionMessages('whole')
  const { sessionId } = await forkSession('whole', { upToMessageId: whole[1]!.uuid })
  const part = await getSessionMessages(sessionId)
  expect(part.map(({ message }) => message)).toEqual(whole.slice(0, 2).map(({ message }) => message))
  expect(part.some(({ uuid }) => whole.some((one) => one.uuid === uuid))).toBe(false)
  expect(await getSessionInfo(sessionId)).toMatchObject({ summary: 'One (fork)' })
  const named = await forkSession('whole', { title: 'Copy' })
  expect(await getSessionInfo(named.sessionId)).toMatchObject({ customTitle: 'Copy' })
  expect(await getSessionMessages(named.sessionId)).toHaveLength(4)
  await expect(forkSession('nobody')).rejects.toMatchObject({ code: 'session-missing' })
  await expect(forkSession('whole', { upToMessageId: 'x' })).rejects.toMatchObject({ code: expect.any(String) })
})

test('[K37] agents that worked for a call are listed, with what they said and did', async () => {
  const model = scriptedModel([
    call('delegate_to', { agent: 'scout', task: 'Find a hotel' }),
    call('look'),
    say('Casa do Rio.'),
    say('There it is.'),
  ])
  const agents = { scout: { description: 'Finds places', prompt: 'You find places.' } }
  const tools = [{ name: 'look', func: () => 'one hotel' }]
  await all('Where to?', { model, agents, tools, sessionId: 'delegated' })
  const ids = await listSubagents('delegated')
  expect(ids).toHaveLength(1)
  const messages = await getSubagentMessages('delegated', ids[0]!)
  expect(messages.map(({ type }) => type)).toEqual(['user', 'assistant', 'user', 'assistant'])
  expect(messages.at(-1)).toMatchObject({
    message: { content: [{ type: 'text', text: 'Casa do Rio.' }] },
    parent_tool_use_id: ids[0],
  })
  expect(await getSubagentMessages('delegated', ids[0]!, { offset: 3 })).toEqual(messages.slice(3))
  expect(await getSubagentMessages('delegated', 'nobody')).toEqual([])
  expect(await listSubagents('nobody')).toEqual([])
})

async function all(prompt: string, options: QueryOptions): Promise<SDKMessage[]> {
  const messages: SDKMessage[] = []
  for await (const message of query({ prompt, options })) messages.push(message)
  return messages
}
