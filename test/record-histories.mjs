/**
 * `pnpm --filter ./test run record`: keeps the stories' sessions as this version writes them. What is kept already stays;
 * to record a story of a version that is not released again, delete its file first.
 */

import { fileURLToPath } from 'node:url'
import { createServer } from 'vite'

// From the sources, as the tests read them: built files may be missing, or an older version's.
const server = await createServer({
  root: fileURLToPath(new URL('..', import.meta.url)),
  configFile: fileURLToPath(new URL('../vite.config.ts', import.meta.url)),
  server: { middlewareMode: true, ws: false },
  optimizeDeps: { noDiscovery: true },
})
const { recordHistories } = await server.ssrLoadModule('/test/contracts/histories/record.ts')
console.log((await recordHistories()).join('\n') || 'All of them are kept already.')
process.exit()
