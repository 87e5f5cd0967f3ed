/** `pnpm faults:mutate`: every mutation, and the first run that notices it. */

import { firstFailure, mutations } from './mutations.mjs'
import { replayCommand } from './passes.mjs'

for (const mutation of mutations) {
  const caught = await firstFailure(mutation)
  if (!caught) process.exitCode = 1
  console.log(`${caught ? 'caught' : 'MISSED'}  ${mutation.name}`)
  if (caught) console.log(`        after ${caught.after} runs: ${caught.violations[0]} (${replayCommand(caught.run)})`)
}
