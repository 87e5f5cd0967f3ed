/** The loop that callers of `query()` write, as they write it. */
import { say, scriptedModel } from '@dogear/testing'
import { query as ask, type SDKMessage } from 'dogear'
import { expect, test, vi } from 'vitest'

test('Compile to a single executable: the query loop', async () => {
  const console = { log: vi.fn<(message: SDKMessage) => void>() }
  const model = scriptedModel([say('Hello to you.')])
  // The sample gives no model: there it is the CLI's, here the proxy's.
  const query = ({ prompt, options }: { prompt: string; options: Record<string, unknown> }) =>
    ask({ prompt, options: { ...options, model } })
  const cliPath = 'a path that means nothing in a page'

  for await (const message of query({
    prompt: 'Hello',
    options: { pathToClaudeCodeExecutable: cliPath },
  })) {
    console.log(message)
  }

  const messages = console.log.mock.calls.map(([message]) => message)
  expect(messages[0]).toMatchObject({ type: 'system', subtype: 'init' })
  expect(messages.at(-1)).toMatchObject({ type: 'result', subtype: 'success', result: 'Hello to you.' })
})
