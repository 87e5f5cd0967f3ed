/** The suites of the workspace: which files each takes, and where they run. */

import { playwright } from '@vitest/browser-playwright'
import type { TestProjectInlineConfiguration } from 'vitest/config'
import { findChromium, launchArguments } from '../test/browser.mjs'
import { engines } from '../test/engines/provider.ts'

// Long enough that a busy machine is not a failure: no test waits for it to pass.
const calm = { testTimeout: 20_000, hookTimeout: 20_000 }
const node = { ...calm, environment: 'node', exclude: ['**/node_modules/**', '**/*.browser.test.*'] }
const patient = { testTimeout: 60_000, hookTimeout: 180_000 }
const packed = { ...patient, globalSetup: './test/packed-files.ts' }

export const testProjects: TestProjectInlineConfiguration[] = [
  { extends: true, test: { ...node, name: 'unit', include: ['packages/*/{src,test}/**/*.test.{ts,tsx}'] } },
  { extends: true, test: { ...node, name: 'contracts', include: ['test/{contracts,compat}/**/*.test.ts'] } },
  {
    extends: true,
    // Thousands of runs, on every core: longer where others use the machine too.
    test: {
      ...node,
      name: 'faults',
      include: ['test/faults/sim/**/*.test.ts'],
      testTimeout: 900_000,
      fileParallelism: false,
    },
  },
  { extends: true, test: { ...node, ...patient, name: 'corpora', include: ['test/corpora/**/*.test.ts'] } },
  {
    extends: true,
    test: {
      ...calm,
      name: 'browser',
      include: ['packages/*/src/**/*.browser.test.{ts,tsx}', 'test/contracts/**/*.browser.test.{ts,tsx}'],
      setupFiles: './packages/widgets/src/testing/no-bare-signals.ts',
      browser: {
        enabled: true,
        headless: true,
        screenshotFailures: false,
        // Low enough to be drawn unscaled: nothing can be approved in a frame that is shown smaller than it is.
        viewport: { width: 414, height: 700 },
        provider: playwright({ launchOptions: { executablePath: findChromium(), args: launchArguments } }),
        instances: [{ browser: 'chromium' }],
      },
    },
  },
  { extends: true, test: { ...node, ...packed, name: 'dist', include: ['test/dist/**/*.test.ts'] } },
  {
    extends: true,
    // Each journey fills a core by itself: side by side they would wait for each other, and time out.
    test: { ...node, ...packed, name: 'journeys', include: ['test/journeys/**/*.test.ts'], fileParallelism: false },
  },
  {
    extends: true,
    // One browser at a time, for the same reason.
    test: { ...node, ...patient, name: 'rig', include: ['test/faults/rig/**/*.test.ts'], fileParallelism: false },
  },
  {
    extends: true,
    test: {
      ...patient,
      name: 'engine-contracts',
      include: ['test/contracts/{store,memory}.browser.test.ts'],
      browser: {
        enabled: true,
        headless: true,
        screenshotFailures: false,
        provider: engines(),
        instances: [{ browser: 'firefox' }, { browser: 'webkit' }],
      },
    },
  },
  {
    extends: true,
    test: {
      ...node,
      ...packed,
      name: 'engine-journeys',
      include: ['test/engines/**/*.test.ts'],
      fileParallelism: false,
    },
  },
]
