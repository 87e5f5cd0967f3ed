/** Writes a package's `.d.ts` files after its build, by the native compiler. */

import { spawnSync } from 'node:child_process'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'
import type { Library } from './library.ts'

export function declarations(library: Library): Plugin {
  const dist = join(library.folder, 'dist')
  return {
    name: 'dogear-declarations',
    apply: 'build',
    async writeBundle() {
      await compile(library, dist)
      await Promise.all((await declarationFiles(dist)).map(nameBuiltFiles))
    },
  }
}

async function compile(library: Library, dist: string): Promise<void> {
  const project = join(dist, 'tsconfig.json')
  await writeFile(project, JSON.stringify(projectOf(library, dist)))
  const { status, stdout } = spawnSync(process.execPath, [compiler, '--project', project], { encoding: 'utf8' })
  await rm(project)
  if (status !== 0) throw new Error(`The declarations of ${library.name} do not compile.\n${stdout}`)
}

function projectOf(library: Library, dist: string): object {
  return {
    extends: relative(dist, join(root, 'tsconfig.json')),
    compilerOptions: {
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
      // Packages see each other as a user sees them: what a built declaration lacks must fail here.
      customConditions: [],
      rootDir: '../src',
      outDir: '.',
    },
    files: Object.values(library.entries),
    include: ['../src/**/*.d.ts'],
  }
}

/** The compiler leaves `./x.ts` in a declaration, a file no user has. */
async function nameBuiltFiles(file: string): Promise<void> {
  const text = await readFile(file, 'utf8')
  await writeFile(file, text.replace(/(\b(?:from|import)\b\s*\(?\s*(["'])\.{1,2}\/[^"']*)\.tsx?(?=\2)/g, '$1.js'))
}

async function declarationFiles(dist: string): Promise<string[]> {
  const names = await readdir(dist, { recursive: true })
  return names.filter((name) => name.endsWith('.d.ts')).map((name) => join(dist, name))
}

const root = fileURLToPath(new URL('..', import.meta.url))
const compiler = join(root, 'node_modules/typescript/bin/tsc')
