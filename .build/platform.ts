/** What every build, server and test of the workspace shares: sources instead of built files, and Preact's JSX. */

import { defaultClientConditions, defaultServerConditions, type UserConfig } from 'vite'

/** Our own name, because published packages use `source` too and would be compiled from their sources by our rules. */
const source = 'dogear-source'

const jsx = { runtime: 'automatic', importSource: 'preact', development: false } as const

export const platform = {
  resolve: { conditions: [source, ...defaultClientConditions] },
  ssr: { resolve: { conditions: [source, ...defaultServerConditions] } },
  oxc: { jsx },
  // The scanner does not read `oxc`: without this it misses the JSX runtime, finds it mid-test, and reloads with a second Preact.
  optimizeDeps: { rolldownOptions: { transform: { jsx } } },
} satisfies UserConfig
