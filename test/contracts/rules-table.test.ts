/** The tables of core's README: every rule has a row, and every test a row names carries the rule's id. */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const root = new URL('../../', import.meta.url)
const table = readFileSync(new URL('packages/core/README.md', root), 'utf8')
const rows = [...table.matchAll(/^\| ([A-Z]\d+) +\|.*\| ([^|]+) \|$/gm)].map(([, id = '', tests = '']) => ({
  id,
  tests: [...tests.matchAll(/`([^`]+)`/g)].map(([, name]) => name),
}))

test('each row names tests, and each of them has the id of the rule in a name', () => {
  const sources = testSources()
  const claims = rows.flatMap(({ id, tests }) => (tests.length ? tests.map((name) => `${id} ${name}`) : [`${id} none`]))
  const proven = claims.filter((claim) => {
    const [id, name] = claim.split(' ')
    return sources.some(({ path, text }) => isNamed(path, name) && text.includes(`[${id}]`))
  })
  expect(proven).toEqual(claims)
})

test('no rule of the agent core is without a row', () => {
  const core = Array.from({ length: 64 }, (_, index) => `C${index + 1}`)
  expect(rows.map(({ id }) => id)).toEqual(expect.arrayContaining(core))
})

function testSources() {
  return ['packages', 'test'].flatMap((folder) => {
    const files = readdirSync(new URL(`${folder}/`, root), { recursive: true, encoding: 'utf8' })
    return files
      .filter((path) => /\.test\.tsx?$/.test(path) && !path.includes('node_modules'))
      .map((path) => ({ path, text: readFileSync(new URL(`${folder}/${path}`, root), 'utf8') }))
  })
}

function isNamed(path: string, name: string | undefined): boolean {
  return path.split(/[/\\]/).at(-1)?.split('.')[0] === name
}
