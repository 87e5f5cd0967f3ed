/** `virtual:dogear-worker`: the text of the built worker, for a page that makes its worker from a blob. */

import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'
import { bundle, type Bundle } from './bundle.ts'
import { sharedFirst } from './shared-first.ts'

export const workerFileName = 'dogear-worker.js'

export function workerText(): Plugin {
  return {
    name: 'dogear-worker-text',
    resolveId: (id) => (id === 'virtual:dogear-worker' ? resolved : undefined),
    async load(id) {
      if (id !== resolved) return
      const { code, sources } = await bundleWorker()
      for (const source of sources) this.addWatchFile(source)
      // In a list: a mere text would be moved to where it is used, out of gzip's sight (shared-first.ts).
      return `export default ${JSON.stringify([asClassicScript(code)])}`
    },
  }
}

/** A module without imports: one file serves as `worker: url`, as main-thread fallback and, embedded, as blob. */
export async function bundleWorker(): Promise<Bundle> {
  return bundle({ entry: workerEntry, fileName: workerFileName, format: 'es', plugins: [sharedFirst(workerEntry)] })
}

/** For the blob: a page opened from disk may start a classic worker, but no module worker. */
function asClassicScript(code: string): string {
  const [exported] = /export\s*\{[^{}]*\};?\s*$/.exec(code) ?? []
  if (exported === undefined) throw new Error(`${workerFileName} must end in its exports, to be embedded without them.`)
  return `'use strict';(()=>{${code.slice(0, -exported.length)}})()`
}

const resolved = '\0virtual:dogear-worker'
const workerEntry = fileURLToPath(new URL('../packages/dogear/src/worker.ts', import.meta.url))
