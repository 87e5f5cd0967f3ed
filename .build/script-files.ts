/** The two files `dogear` publishes for pages without a bundler, and their copies in the proxy, which serves them. */

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Plugin } from 'vite'
import { bundle, type Bundle } from './bundle.ts'
import { sharedFirst } from './shared-first.ts'
import { bundleWorker, workerFileName, workerText } from './worker-text.ts'

export const scriptFileName = 'dogear.js'
export const wholeFiles = [workerFileName, scriptFileName]

export function emitScriptFiles(entry: string): Plugin {
  return {
    name: 'dogear-script-files',
    apply: 'build',
    async generateBundle() {
      for (const [fileName, file] of [
        [workerFileName, await bundleWorker()],
        [scriptFileName, await bundleScript(entry)],
      ] as const) {
        this.emitFile({ type: 'asset', fileName, source: `${file.code}\n//# sourceMappingURL=${fileName}.map\n` })
        this.emitFile({ type: 'asset', fileName: `${fileName}.map`, source: file.map })
        this.emitFile({ type: 'asset', fileName: `${fileName}.notices.md`, source: file.licenses })
      }
    },
  }
}

export async function bundleScript(entry: string, worker: Plugin = workerText()): Promise<Bundle> {
  return bundle({
    entry,
    fileName: scriptFileName,
    format: 'iife',
    plugins: [worker, sharedFirst(entry, 'virtual:dogear-worker')],
  })
}

export function copyScriptFiles(builtFolder: string): Plugin {
  return {
    name: 'dogear-script-copies',
    apply: 'build',
    async generateBundle() {
      for (const fileName of wholeFiles) {
        this.emitFile({
          type: 'asset',
          fileName: `assets/${fileName}`,
          source: await readBuilt(join(builtFolder, fileName)),
        })
      }
    },
  }
}

async function readBuilt(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    throw new Error('The proxy serves files that dogear builds: build dogear first, or everything by `pnpm build`.', {
      cause,
    })
  }
}
