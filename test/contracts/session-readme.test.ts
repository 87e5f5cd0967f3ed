/** The examples of the READMEs of core and worker run as they stand there. */
import { readFileSync } from 'node:fs'
import { expect, test, vi } from 'vitest'

test.each(['core', 'worker'])('the README of %s shows the example that is run here', (name) => {
  const example = readFileSync(new URL(`session-readme-${name}.ts`, import.meta.url), 'utf8')
  const readme = readFileSync(new URL(`../../packages/${name}/README.md`, import.meta.url), 'utf8')
  expect(readme).toContain(example.replaceAll(/^export (?=const)/gm, ''))
})

test('the example of core answers with what its tool found', async () => {
  const log = vi.spyOn(console, 'log').mockImplementation(() => {})
  const { content, messages } = await import('./session-readme-core.ts')
  expect(content).toBe('I found three hotels in Lisbon.')
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
  log.mockRestore()
})

test('the example of worker drives a session from a page', async () => {
  const log = vi.spyOn(console, 'log').mockImplementation(() => {})
  const { result, session } = await import('./session-readme-worker.ts')
  expect(result).toMatchObject({ terminalReason: 'completed', text: 'Three nights it is.' })
  session.close()
  log.mockRestore()
})
