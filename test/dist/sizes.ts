/** What a page downloads, in parts, against what it may cost. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Plugin } from 'vite'
import { bundleScript } from '../../.build/script-files.ts'
import { root } from '../../.build/steps.mjs'

export interface Size {
  readonly part: string
  /** Bytes after gzip -9. */
  readonly bytes: number
  readonly budget: number
  /** Where it is to come down to, when that is below what it may cost now. */
  readonly goal?: number
}

export async function measureSizes(): Promise<Size[]> {
  const page = await bundleScript(join(dogear, 'src/script.ts'), noWorker)
  return [
    { part: 'page part', bytes: zipped(page.code), budget: 64_000, goal: 40_000 },
    { part: 'worker part', bytes: zipped(read('dogear-worker.js')), budget: 83_500, goal: 35_000 },
    { part: 'dogear.js, both in one', bytes: zipped(read('dogear.js')), budget: 141_500, goal: 80_000 },
  ]
}

const dogear = join(root, 'packages/dogear')

/** The page part alone: its worker's text is another part's weight. */
const noWorker: Plugin = {
  name: 'no-worker',
  resolveId: (id) => (id === 'virtual:dogear-worker' ? '\0no-worker' : undefined),
  load: (id) => (id === '\0no-worker' ? 'export default []' : undefined),
}

function read(file: string): string {
  return readFileSync(join(dogear, 'dist', file), 'utf8')
}

function zipped(text: string): number {
  return gzipSync(text, { level: 9 }).length
}
