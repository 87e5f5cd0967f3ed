/** `pnpm size`: what a page downloads, against its budget. */

import { fileURLToPath } from 'node:url'
import { runnerImport } from 'vite'

const { module } = await runnerImport(fileURLToPath(new URL('dist/sizes.ts', import.meta.url)))
const sizes = await module.measureSizes()

for (const { part, bytes, budget, goal = budget } of sizes) {
  console.log(
    `${part.padEnd(24)} ${kilobytes(bytes)} kB of ${kilobytes(budget)} kB gzip${verdict(bytes, budget, goal)}`,
  )
}
process.exitCode = sizes.some(({ bytes, budget }) => bytes > budget) ? 1 : 0

function kilobytes(bytes) {
  return (bytes / 1000).toFixed(1).padStart(5)
}

function verdict(bytes, budget, goal) {
  if (bytes > budget) return '  too much'
  return bytes > goal ? `  over its goal of ${kilobytes(goal)} kB` : ''
}
