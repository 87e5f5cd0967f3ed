/** How a package is built: every source named in its `exports` becomes the ESM file named beside it. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BuildEnvironmentOptions } from 'vite'
import { wholeFiles } from './script-files.ts'

export interface Library {
  readonly folder: string
  readonly name: string
  /** `index` for `./dist/index.js`, with the source it is made of. */
  readonly entries: Readonly<Record<string, string>>
  readonly external: readonly RegExp[]
}

export function readLibrary(folder: string): Library {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
  const entries = Object.entries(manifest.exports).flatMap(([path, target]) => {
    if (typeof target === 'string') return []
    const source = target['dogear-source']
    if (!source) throw new Error(`${manifest.name}: give the export "${path}" a "dogear-source", or it is never built.`)
    return [[target.default.replace(/^\.\/dist\/|\.js$/g, ''), join(folder, source)]]
  })
  return {
    folder,
    name: manifest.name,
    entries: Object.fromEntries(entries),
    external: [
      /^node:/,
      ...Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }).map(packageAndItsPaths),
    ],
  }
}

export function libraryBuild({ entries, external }: Library): BuildEnvironmentOptions {
  const modules = Object.entries(entries).filter(([name]) => !wholeFiles.includes(`${name}.js`))
  return {
    target: 'es2022',
    sourcemap: true,
    minify: false,
    lib: { entry: Object.fromEntries(modules), formats: ['es'] },
    rolldownOptions: {
      external: [...external],
      // Our plugins build whole files and declarations: that they take most of the time is no news.
      checks: { bundlerTimings: false },
      output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
    },
  }
}

interface Manifest {
  readonly name: string
  readonly exports: Readonly<Record<string, string | ExportTarget>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

interface ExportTarget {
  readonly 'dogear-source'?: string
  readonly default: string
}

function packageAndItsPaths(name: string): RegExp {
  return new RegExp(`^${name}(/|$)`)
}
