/** The simulator and the product it runs, from their sources, as one file that plain Node can run many times over. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const here = fileURLToPath(new URL('.', import.meta.url))

/** `plugins` may change the sources: that is how a mutation is made. */
export async function bundleSimulator({ plugins = [] } = {}) {
  const { output } = await build({
    configFile: false,
    logLevel: 'error',
    plugins,
    resolve: { conditions: ['dogear-source'] },
    ssr: { noExternal: true, resolve: { conditions: ['dogear-source'] } },
    build: { ssr: join(here, 'thread.ts'), write: false, minify: false },
  })
  const folder = mkdtempSync(join(tmpdir(), 'dogear-sim-'))
  const file = join(folder, 'simulator.mjs')
  writeFileSync(file, output[0].code)
  return { file, remove: () => rmSync(folder, { recursive: true }) }
}
