/** `pnpm --filter ./test run record 0.1`: keeps the stories' sessions as this version writes them. */

import { fileURLToPath } from 'node:url'
import { runnerImport } from 'vite'

const [version] = process.argv.slice(2)
if (!version) throw new Error('Say which version writes them: pnpm --filter ./test run record 0.1')
const { module } = await runnerImport(fileURLToPath(new URL('contracts/histories/record.ts', import.meta.url)))
const written = await module.recordHistories(fileURLToPath(new URL(`contracts/histories/${version}`, import.meta.url)))
console.log(written.join('\n') || 'All of them are kept already.')
process.exit()
