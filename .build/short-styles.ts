/** Style sheets without white space and comments, and with short names for the variables that are not the page's to set. */

import type { Plugin } from 'vite'

export function shortStyles(): Plugin {
  const names = new Map<string, string>()
  const shortName = (name: string) => {
    if (!names.has(name)) names.set(name, `--${names.size.toString(36)}`)
    return names.get(name)!
  }
  return {
    name: 'dogear-short-styles',
    enforce: 'post',
    transform(code, id) {
      if (!id.endsWith('.css?inline')) return null
      const css = JSON.parse(code.replace(/^export default /, '')) as string
      return { code: `export default ${JSON.stringify(withoutSpace(css).replace(ownVariable, shortName))}`, map: null }
    },
  }
}

const ownVariable = /--(?!dogear-)[a-z][\w-]*/g

/** In the author's order, which a minifier's own would only make harder to compress. */
function withoutSpace(css: string): string {
  return css
    .replace(/\/\*.*?\*\//gs, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};,>!]) ?/g, '$1')
    .replace(/: /g, ':')
    .replace(/;}/g, '}')
    .replace(/(?<![\w.])0\./g, '.')
    .replace(/='([\w-]+)'/g, '=$1')
    .trim()
}
