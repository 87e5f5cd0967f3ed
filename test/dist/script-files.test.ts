/** The two files for pages without a bundler. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseAst } from 'vite'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { bundle } from '../../.build/bundle.ts'

const dist = join(inject('installed'), 'node_modules/dogear/dist')
const worker = readFileSync(join(dist, 'dogear-worker.js'), 'utf8')

describe('dogear-worker.js', () => {
  test('exports the function that serves a page', async () => {
    const { serve } = await import(pathToFileURL(join(dist, 'dogear-worker.js')).href)
    expect(serve).toBeTypeOf('function')
  })

  test('imports nothing, so that it runs from a blob', () => {
    const sources = parseAst(worker).body.flatMap((node) =>
      'source' in node && node.source ? [node.source.value] : [],
    )
    expect(sources).toEqual([])
  })

  test('is inside dogear.js and inside the npm entry', () => {
    const plainPieces = worker.replace(/^\/\/#.*/m, '').split(/['"`\\$\n]/)
    const longest = plainPieces.reduce((best, piece) => (piece.length > best.length ? piece : best))
    const files = ['dogear.js', 'index.js'].filter((file) => readFileSync(join(dist, file), 'utf8').includes(longest))
    expect(files).toEqual(['dogear.js', 'index.js'])
  })

  test('is what the proxy serves', () => {
    const copies = join(inject('installed'), 'node_modules/@dogear/proxy/dist/assets')
    for (const file of ['dogear.js', 'dogear-worker.js']) {
      expect(readFileSync(join(copies, file)).equals(readFileSync(join(dist, file)))).toBe(true)
    }
  })
})

describe('dogear.js', () => {
  // Each as it stands in the code of a part that a page without a bundler does not pay for.
  test.each([
    ['tracing', 'index.js', 'dogear-trace:'],
    ['the tracer', '../../@dogear/core/dist/index.js', 'Tracing is on, but has no sink'],
    ['the otlp sink', '../../@dogear/core/dist/otlp.js', 'gen_ai.operation.name'],
    ['the file sink', 'node.js', 'events.jsonl'],
  ])('holds nothing of %s', (_part, file, marker) => {
    expect(readFileSync(join(dist, file), 'utf8')).toContain(marker)
    for (const whole of ['dogear.js', 'dogear-worker.js']) {
      expect(readFileSync(join(dist, whole), 'utf8')).not.toContain(marker)
    }
  })
})

describe('a file that must be one', () => {
  test('is refused when it would be empty', async () => {
    const entry = fileWith('export {}')
    await expect(bundle({ entry, fileName: 'empty.js', format: 'es' })).rejects.toThrow('empty.js is empty')
  })

  test('is refused when it would swallow a lazy part', async () => {
    const lazy = fileWith('export const lazy = 1')
    const entry = fileWith(`export const load = () => import(${JSON.stringify(lazy)})`)
    await expect(bundle({ entry, fileName: 'whole.js', format: 'iife' })).rejects.toThrow('whole.js would swallow')
  })
})

function fileWith(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'dogear-bundle-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'entry.ts')
  writeFileSync(file, text)
  return file
}
