/** Runs vitest's browser mode in engines that its own providers cannot drive: all it needs is a window at an address. */
import { defineBrowserProvider } from '@vitest/browser'
import type { BrowserProviderOption } from 'vitest/node'
import { type Engine, type EngineName, openEngine } from './engine.ts'

export function engines(): BrowserProviderOption {
  return defineBrowserProvider({
    name: 'engines',
    supportedBrowser: ['firefox', 'webkit'],
    providerFactory(project) {
      let opening: Promise<Engine> | undefined
      return {
        name: 'engines',
        supportsParallelism: false,
        getCommandsContext: () => ({}),
        async openPage(_sessionId, url) {
          // Checked against `supportedBrowser`.
          opening ??= openEngine(project.config.browser.name as EngineName)
          await (await opening).open(url)
        },
        close: async () => (await opening)?.close(),
      }
    },
  })
}
