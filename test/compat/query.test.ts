/** The loop that callers of `query()` write, as it is printed. */
import { say, scriptedModel } from '@dogear/testing'
import { query as ask, type QueryInput, type SDKMessage } from 'dogear'
import { extractFromBunfs } from 'dogear/extract'
import { expect, test, vi } from 'vitest'

test('Agent SDK reference › Compile to a single executable: the query loop', async () => {
  const console = { log: vi.fn<(message: SDKMessage) => void>() }
  const model = scriptedModel([say('Hello to you.')])
  // The sample gives no model: there it is the CLI's, here the proxy's.
  const query = ({ prompt, options }: QueryInput) => ask({ prompt, options: { ...options, model } })
  // The import the sample begins with: a binary beside its package.
  const binPath = 'a path that means nothing in a page'
  // prettier-ignore
  async function sample() {
const cliPath = extractFromBunfs(binPath);

for await (const message of query({
 prompt: "Hello",
 options: { pathToClaudeCodeExecutable: cliPath },
})) {
 console.log(message);
}
  }
  await sample()

  const messages = console.log.mock.calls.map(([message]) => message)
  expect(messages[0]).toMatchObject({ type: 'system', subtype: 'init' })
  expect(messages.at(-1)).toMatchObject({ type: 'result', subtype: 'success', result: 'Hello to you.' })
})
