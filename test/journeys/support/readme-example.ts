/** The README's examples, as a newcomer would copy them: `<!-- example: npm -->` stands before each. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../../.build/steps.mjs'

/** With the address of a proxy that runs instead of the one the README names. */
export function readmeExample(name: string, proxy: string): string {
  const code = readmeLines(name)
  if (!code.includes(usualProxy)) throw new Error(`The example "${name}" of README.md does not ask ${usualProxy}.`)
  return code.replaceAll(usualProxy, proxy)
}

/** Lines that go on from an example before them. */
export function readmeLines(name: string): string {
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  const [, code] = new RegExp(`<!-- example: ${name} -->\\s*\`\`\`\\w+\\n([^]*?)\`\`\``).exec(readme) ?? []
  if (code === undefined) throw new Error(`README.md has no example "${name}".`)
  return code
}

const usualProxy = 'http://127.0.0.1:8787'
