/** Writes every story as this version leaves it: once a version, never over what an earlier one left. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { device } from '../device.ts'
import { currentVersion, folderOf } from './kept.ts'
import { readRecords } from './records.ts'
import { stories } from './stories.ts'

export async function recordHistories(): Promise<string[]> {
  const folder = folderOf(currentVersion)
  mkdirSync(folder, { recursive: true })
  const written: string[] = []
  for (const [name, { agent, script, live }] of Object.entries(stories)) {
    const file = join(folder, `${name.replaceAll(/[^a-z]+/g, '-')}.json`)
    if (existsSync(file)) continue
    const here = device()
    const tab = here.tab(agent(script))
    const kept = (await live(await tab.open(), tab, here)) ?? 's1'
    await new Promise((resolve) => setTimeout(resolve, 100))
    tab.kill()
    writeFileSync(file, `${JSON.stringify({ story: name, ...(await readRecords(here.store, kept)) }, null, 1)}\n`)
    written.push(file)
  }
  return written
}
