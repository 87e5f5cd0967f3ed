/**
 * Preact without what no component of ours has: most lifecycle methods of classes, and Suspense. Where Preact asks a
 * component for one of these it reads `undefined` instead, and the minifier takes away what would follow.
 */

import type { Plugin } from 'vite'

export function withoutLifecycles(): Plugin {
  return {
    name: 'dogear-without-lifecycles',
    transform(code, id) {
      const isPreact = id.includes('/node_modules/preact/dist/')
      const used = isPreact ? written.exec(code)?.[0] : !id.includes('/node_modules/') && named.exec(code)?.[0]
      if (used) this.error(`${id} has "${used}", which is cut out of Preact here.`)
      return isPreact ? { code: code.replace(read, '(void 0)'), map: null } : null
    },
  }
}

const names = [
  'componentWillMount',
  'componentDidMount',
  'componentWillReceiveProps',
  'componentWillUpdate',
  'componentDidUpdate',
  'componentDidCatch',
  'getDerivedStateFromError',
  'getDerivedStateFromProps',
  'getSnapshotBeforeUpdate',
].join('|')
const named = new RegExp(names)
const written = new RegExp(String.raw`\.(${names})\s*=[^=]`)
/** `then` is how it knows a thrown promise, which is Suspense's. */
const read = new RegExp(String.raw`(?<![\w$.])[\w$]+(?:\.[\w$]+)*\.(?:then|${names})\b`, 'g')
