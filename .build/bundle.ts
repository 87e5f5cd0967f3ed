/** One entry and all it imports as one minified file, in memory. */

import { minify } from 'terser'
import { build, minify as rename, type Plugin, type PluginOption, type Rolldown } from 'vite'
import { platform } from './platform.ts'
import { shortStyles } from './short-styles.ts'
import { withoutUnusedParts } from './unused-parts.ts'

export interface Bundle {
  readonly code: string
  readonly map: string
  /** The licences of the packages inside, which ask to be handed on with them. */
  readonly licenses: string
  /** Every file that went in, so that a dev server knows when to build again. */
  readonly sources: readonly string[]
}

export interface BundleOptions {
  readonly entry: string
  readonly fileName: string
  readonly format: 'es' | 'iife'
  readonly plugins?: PluginOption[]
}

export async function bundle({ entry, fileName, format, plugins = [] }: BundleOptions): Promise<Bundle> {
  const result = await build({
    ...platform,
    oxc: { jsx: { runtime: 'classic', pragma: 'h', pragmaFrag: 'Fragment', development: false } },
    configFile: false,
    logLevel: 'warn',
    plugins: [plugins, shortStyles(), withoutUnusedParts(), refuseLazyParts(fileName)],
    define: { 'process.env.NODE_ENV': '"production"' },
    build: {
      write: false,
      target: 'es2022',
      cssMinify: false,
      sourcemap: 'hidden',
      license: { fileName: licensesFileName },
      lib: { entry, formats: [format], fileName: () => fileName, name: 'unused' },
      // Said here as well: for an ES library Vite itself would keep the white space.
      rolldownOptions: {
        // Children as further arguments are shorter than a `children` in every object, and `h` is in the file anyway.
        transform: { inject: { h: ['preact', 'h'], Fragment: ['preact', 'Fragment'] } },
        output: {
          minify: { compress: true, mangle: false },
          comments: { annotation: false, jsdoc: false },
          codeSplitting: false,
        },
      },
    },
  })
  return onlyFile(
    fileName,
    (result as Rolldown.RolldownOutput[]).flatMap((each) => each.output),
  )
}

/** One file has no place for a lazy part: the bundler would put it in without a word. */
function refuseLazyParts(fileName: string): Plugin {
  return {
    name: 'dogear-refuse-lazy-parts',
    buildEnd() {
      const lazy = [...this.getModuleIds()].filter((id) => this.getModuleInfo(id)?.dynamicImporters.length)
      if (lazy.length > 0)
        this.error(`${fileName} would swallow ${lazy.join(', ')}: load it by its absolute URL instead.`)
    },
  }
}

async function onlyFile(fileName: string, output: (Rolldown.OutputChunk | Rolldown.OutputAsset)[]): Promise<Bundle> {
  const [chunk, ...others] = output.filter((file) => file.type === 'chunk')
  if (others.length > 0) throw new Error(`${fileName} must be one file, but it was split into ${others.length + 1}.`)
  if (!chunk?.code.trim()) throw new Error(`${fileName} is empty: nothing it imports is kept. Export what it must run.`)
  return {
    ...(await minifyAgain(chunk)),
    licenses: licensesIn(output),
    sources: chunk.moduleIds.filter((id) => id.startsWith('/')),
  }
}

/**
 * What the bundler's own minifier leaves: a second one, which goes over the whole several times, finds a hundredth more.
 * Names come last, when it is known which are left, and from the first again: its are the ones that compress.
 */
async function minifyAgain({ code, map, fileName }: Rolldown.OutputChunk): Promise<Pick<Bundle, 'code' | 'map'>> {
  const shorter = await minify(code, {
    ecma: 2022,
    toplevel: true,
    mangle: false,
    compress: { passes: 2, sequences: false, lhs_constants: false },
    sourceMap: { content: map?.toString() ?? '', asObject: true },
  })
  const named = await rename(fileName, shorter.code ?? '', {
    compress: false,
    mangle: { toplevel: true },
    codegen: { removeWhitespace: true },
    sourcemap: true,
    // The cast: the same map by another package's type.
    inputMap: shorter.map as never,
  })
  return { code: named.code, map: JSON.stringify(named.map) }
}

const licensesFileName = 'licenses.md'

function licensesIn(output: (Rolldown.OutputChunk | Rolldown.OutputAsset)[]): string {
  const file = output.find((each) => each.fileName === licensesFileName)
  return file?.type === 'asset' ? String(file.source) : ''
}
