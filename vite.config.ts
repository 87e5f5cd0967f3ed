/** One config for all: run in a package it builds that package, in the playground it serves, at the root it tests. */

import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { PluginOption } from 'vite'
import { defineConfig } from 'vitest/config'
import { declarations } from './.build/declarations.ts'
import { type Library, libraryBuild, readLibrary } from './.build/library.ts'
import { platform } from './.build/platform.ts'
import { copyScriptFiles, emitScriptFiles } from './.build/script-files.ts'
import { testProjects } from './.build/test-projects.ts'
import { workerText } from './.build/worker-text.ts'

const root = fileURLToPath(new URL('.', import.meta.url))
const folder = process.cwd()
const isPackage = folder.startsWith(join(root, 'packages/'))

export default defineConfig(() => (isPackage ? packageConfig(readLibrary(folder)) : workspaceConfig()))

function packageConfig(library: Library) {
  return {
    ...platform,
    logLevel: 'warn' as const,
    plugins: [workerText(), declarations(library), ...specialFiles(library)],
    build: libraryBuild(library),
  }
}

function specialFiles({ name, entries }: Library): PluginOption[] {
  if (name === 'dogear') return [emitScriptFiles(entries.dogear!)]
  if (name === '@dogear/proxy') return [copyScriptFiles(join(root, 'packages/dogear/dist'))]
  return []
}

function workspaceConfig() {
  return { ...platform, appType: 'mpa' as const, plugins: [workerText()], test: { projects: testProjects } }
}
