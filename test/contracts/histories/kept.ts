/** The histories that are kept, by the version that wrote them. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Records } from './records.ts'

export interface History extends Records {
  readonly version: string
  readonly story: string
}

/** Patches leave what others left: 0.1.2 writes as 0.1. */
export const currentVersion = readVersion().split('.').slice(0, 2).join('.')

export function keptHistories(): History[] {
  return versions().flatMap((version) =>
    readdirSync(folderOf(version)).map((file): History => {
      const history = JSON.parse(readFileSync(join(folderOf(version), file), 'utf8')) as Omit<History, 'version'>
      return { version, ...history }
    }),
  )
}

export function folderOf(version: string): string {
  return join(folder, version)
}

const folder = fileURLToPath(new URL('.', import.meta.url))

function versions(): string[] {
  return readdirSync(folder).filter((name) => /^\d/.test(name))
}

function readVersion(): string {
  const file = new URL('../../../packages/dogear/package.json', import.meta.url)
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
}
