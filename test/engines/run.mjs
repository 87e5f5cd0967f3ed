/** `pnpm test:browsers`: the core journeys and the store's contracts in Firefox ESR and WebKitGTK. */

import { spawnSync } from 'node:child_process'
import { build, isBuilt, root } from '../../.build/steps.mjs'
import { installEngines } from './packages.mjs'

installEngines()
if (!isBuilt()) await build()
const projects = ['engine-contracts*', 'engine-journeys'].flatMap((name) => ['--project', name])
const { status } = spawnSync('node_modules/.bin/vitest', ['run', ...projects, ...process.argv.slice(2)], {
  cwd: root,
  stdio: 'inherit',
})
process.exitCode = status ?? 1
