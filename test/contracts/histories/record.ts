/** Writes every story as this version leaves it: once a version, never over what an earlier one left. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openMemoryStore } from '@dogear/store'
import { device } from '../device.ts'
import { readRecords } from './records.ts'
import { stories } from './stories.ts'

export async function recordHistories(folder: string): Promise<string[]> {
  mkdirSync(folder, { recursive: true })
  const written: string[] = []
  for (const [name, { agent, script, live }] of Object.entries(stories)) {
    const file = join(folder, `${name.replaceAll(/[^a-z]+/g, '-')}.json`)
    if (existsSync(file)) continue
    const store = openMemoryStore()
    const tab = device(store).tab(agent(script))
    await live(await tab.open(), tab)
    await new Promise((resolve) => setTimeout(resolve, 100))
    tab.kill()
    writeFileSync(file, `${JSON.stringify({ story: name, ...(await readRecords(store, 's1')) }, null, 1)}\n`)
    written.push(file)
  }
  return written
}
