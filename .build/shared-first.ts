/**
 * What the page and its worker both have, first in each, with the worker's text right after it in the page. Gzip looks
 * 32 kB back: so near, it finds the one copy while it reads the other; in any other order it would pack both.
 */

import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'

/** `after`: what the entry imports next, before all else. */
export function sharedFirst(entry: string, ...after: string[]): Plugin {
  const imports = [...shared, ...after].map((id) => `import ${JSON.stringify(id)};`).join('')
  return {
    name: 'dogear-shared-first',
    // On the first line, so that every line of the entry keeps its number.
    transform: (code, id) => (id === entry ? { code: imports + code, map: null } : null),
  }
}

const shared = [
  'session/fold.ts',
  'session/reduce.ts',
  'permission/rule.ts',
  'tools/result.ts',
  'permission/mode.ts',
].map((file) => fileURLToPath(new URL(`../packages/core/src/${file}`, import.meta.url)))
