/** Sessions that earlier versions left open in every way: this one loads, shows and ends each of them. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { textOf } from '@dogear/core'
import { openMemoryStore } from '@dogear/store'
import { expect, test } from 'vitest'
import { device, until } from '../device.ts'
import { writeRecords, type Records } from './records.ts'
import { stories } from './stories.ts'

const folder = fileURLToPath(new URL('.', import.meta.url))
const kept = readdirSync(folder)
  .filter((name) => statSync(join(folder, name)).isDirectory())
  .flatMap((version) => readdirSync(join(folder, version)).map((file) => ({ version, file })))
  .map(({ version, file }) => {
    const history = JSON.parse(readFileSync(join(folder, version, file), 'utf8')) as Records & { story: string }
    return { version, ...history }
  })

test('[G13] every story is kept as some version wrote it', () => {
  expect(new Set(kept.map(({ story }) => story))).toEqual(new Set(Object.keys(stories)))
})

test.each(kept)('[G7] [G13] $story, left by version $version, is shown, goes on and ends', async (history) => {
  const { agent, rest, answer, ends } = stories[history.story]!
  for (const withHead of [true, false]) {
    const store = openMemoryStore()
    await writeRecords(store, { ...history, head: withHead ? history.head : undefined })
    const session = await device(store).tab(agent(rest)).open(history.session.id)
    const words = history.entries.find(({ type }) => type === 'message-add')
    const first = [...session.messages.value, ...session.pending.value][0]
    expect(first, 'the first message').toEqual(words?.type === 'message-add' && words.message)
    await answer?.(session)
    await until(() => session.status.value === 'idle' && lastWords() === ends, ends)
    expect(await store.entries(history.session.id, 0, history.session.seq)).toEqual(history.entries)

    function lastWords(): string {
      return textOf(session.messages.value.at(-1) ?? { content: '' })
    }
  }
})
