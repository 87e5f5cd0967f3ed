/** The README's examples, as a newcomer would copy them: `<!-- example: npm -->` stands before each. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../../.build/steps.mjs'

/** With the address of a proxy that runs instead of the one the README names. */
export function readmeExample(name: string, proxy: string): string {
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  const [, code] = new RegExp(`<!-- example: ${name} -->\\s*\`\`\`\\w+\\n([^]*?)\`\`\``).exec(readme) ?? []
  if (!code?.includes(usualProxy)) throw new Error(`README.md has no example "${name}" that asks ${usualProxy}.`)
  return code.replaceAll(usualProxy, proxy)
}

const usualProxy = 'http://127.0.0.1:8787'
