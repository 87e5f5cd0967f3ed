/** Packs every package once a run, and lays them out as an install from a registry would. */

import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { pnpm, root } from '../.build/steps.mjs'

declare module 'vitest' {
  interface ProvidedContext {
    /** By package name, the file that would be published. */
    tarballs: Record<string, string>
    /** A folder whose node_modules hold the packed packages, with links to what they depend on. */
    installed: string
  }
}

export default function setup(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'dogear-packed-'))
  const tarballs = pack(folder)
  const installed = join(folder, 'installed')
  for (const [name, tarball] of Object.entries(tarballs)) unpack(tarball, join(installed, 'node_modules', name))
  for (const each of readdirSync(packages)) linkDependencies(join(packages, each), join(installed, 'node_modules'))
  project.provide('tarballs', tarballs)
  project.provide('installed', installed)
  return () => rmSync(folder, { recursive: true })
}

const packages = join(root, 'packages')

function pack(folder: string): Record<string, string> {
  if (!existsSync(join(packages, 'proxy/dist/assets'))) throw new Error('Nothing to pack yet: run `pnpm build` first.')
  const [command = '', ...args] = pnpm('--filter', './packages/*', '-r', 'pack', '--pack-destination', folder)
  execFileSync(command, args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
  return Object.fromEntries(
    readdirSync(packages).map((each) => nameAndTarball(readManifest(join(packages, each)), folder)),
  )
}

function nameAndTarball({ name, version }: Manifest, folder: string): [name: string, tarball: string] {
  return [name, join(folder, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`)]
}

function unpack(tarball: string, folder: string): void {
  mkdirSync(folder, { recursive: true })
  execFileSync('tar', ['-xzf', tarball, '-C', folder, '--strip-components=1'])
}

function linkDependencies(source: string, target: string): void {
  const { dependencies = {} } = readManifest(source)
  for (const name of Object.keys(dependencies)) {
    const link = join(target, name)
    if (existsSync(link)) continue
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(realpathSync(join(source, 'node_modules', name)), link, 'junction')
  }
}

interface Manifest {
  readonly name: string
  readonly version: string
  readonly dependencies?: Readonly<Record<string, string>>
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
}
