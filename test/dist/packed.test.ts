/** What is published: every package is packed, and looked at the way a registry's user sees it. */

import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { describe, expect, inject, test } from 'vitest'
import { root } from '../../.build/steps.mjs'

const installed = inject('installed')

describe.each(Object.entries(inject('tarballs')))('%s', (name, tarball) => {
  const folder = join(installed, 'node_modules', name)
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))

  test('has no mistake that publint knows', async () => {
    const data = readFileSync(tarball)
    const { messages } = await publint({ pack: { tarball: new Uint8Array(data).buffer }, level: 'warning' })
    expect(messages.map((message) => formatMessage(message, manifest))).toEqual([])
  })

  test('has types that resolve in Node and in bundlers', async () => {
    const result = await checkPackage(createPackageFromTarballData(new Uint8Array(readFileSync(tarball))))
    if (!result.types) throw new Error(`${name} has no types.`)
    // It is ESM with an exports map: TypeScript's oldest resolution and `require` are no promise of ours.
    const problems = result.problems.filter(
      (problem) =>
        problem.kind !== 'CJSResolvesToESM' && !('resolutionKind' in problem && problem.resolutionKind === 'node10'),
    )
    expect(problems).toEqual([])
  })

  test('exports built files only, each of them there', () => {
    const targets = Object.values<string | Record<string, string>>(manifest.exports).flatMap((target) =>
      typeof target === 'string' ? [target] : Object.values(target),
    )
    expect(targets.filter((target) => !existsSync(join(folder, target)))).toEqual([])
    expect(JSON.stringify(manifest)).not.toMatch(/workspace:|dogear-source/)
  })

  test('carries its licence and a README', () => {
    expect(readdirSync(folder)).toEqual(expect.arrayContaining(['LICENSE', 'README.md']))
  })

  test('names no folder of the machine that built it', () => {
    const leaks = files(folder).filter((file) => [root, homedir() + '/'].some((path) => read(file).includes(path)))
    expect(leaks).toEqual([])
  })

  test('has declarations that need neither sources, nor our build, nor the openai package', () => {
    const declarations = files(folder).filter((file) => file.endsWith('.d.ts'))
    const forbidden = /\b(from |import\(|import )['"](openai|virtual:|\.[^'"]*\.tsx?['"])/
    expect(declarations.filter((file) => forbidden.test(read(file)))).toEqual([])
  })

  test('can be imported in plain Node', () => {
    const entries = Object.entries<string | { default: string }>(manifest.exports)
      .filter(([, target]) => typeof target !== 'string' && target.default !== './dist/dogear.js')
      .map(([path]) => `${name}${path.slice(1)}`)
    const program = entries.map((entry) => `await import(${JSON.stringify(entry)})`).join('\n')
    const run = () => execFileSync(process.execPath, ['--input-type=module', '--eval', program], { cwd: installed })
    expect(run).not.toThrow()
  })
})

function files(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}

function read(file: string): string {
  return readFileSync(file, 'utf8')
}
