/** What our dependencies have in their files, and nothing of ours uses: left out, where a bundler alone would keep it. */

import type { Plugin } from 'vite'

export function withoutUnusedParts(): Plugin {
  return {
    name: 'dogear-unused-parts',
    transform(code, id) {
      if (id.includes('/node_modules/preact/dist/')) return { code: withoutLifecycles(code), map: null }
      if (id.includes('/@preact/signals/dist/')) return { code: withoutBindings(code), map: null }
      if (id.includes('/node_modules/idb/')) return { code: withoutIteration(code), map: null }
      const used = usesOf(id)?.exec(code)?.[0]
      if (used) this.error(`${id} uses "${used}", which is cut out of this build.`)
      return null
    },
  }
}

const lifecycles = [
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

/** How a file of ours would say that it needs one of them after all. */
function usesOf(id: string): RegExp | undefined {
  if (id.includes('/packages/widgets/')) return new RegExp(lifecycles)
  return id.includes('/packages/store/') ? /for await|\.iterate\(/ : undefined
}

/**
 * Where Preact asks a component for a method that none has it reads `undefined` instead, and the minifier takes away what
 * would follow. So it does where it asks whether an error is a promise, which is Suspense's.
 */
function withoutLifecycles(code: string): string {
  const [written] = new RegExp(String.raw`\.(${lifecycles})\s*=[^=]`).exec(code) ?? []
  if (written) throw new Error(`Preact itself has come to need "${written}": it can no longer be cut out.`)
  return code.replace(new RegExp(String.raw`(?<![\w$.])[\w$]+(?:\.[\w$]+)*\.(?:then|${lifecycles})\b`, 'g'), '(void 0)')
}

/**
 * A signal as an element's text or attribute would be followed without drawing the component again. None is: a test sees
 * to it. Its text is a method given to all signals, said to have no effect; its attributes are kept under these two names.
 */
function withoutBindings(code: string): string {
  const [before, text, ...more] = code.split(/(?=Object\.defineProperties\()/)
  if (!text || more.length > 0) throw new Error('Signals are bound to text in another way: cut it out there.')
  return `${before}/* @__PURE__ */ ${text}`.replace(/(?<![\w$.])[\w$]+\.(?:__np|U)\b(?!=[^=])/g, '(void 0)')
}

/** The last thing idb does is to make cursors iterable; said to have no effect, it is dropped with all it needs. */
function withoutIteration(code: string): string {
  const [before, iteration, ...more] = code.split(/^(?=replaceTraps\(\(oldTraps\).*\n.*\n.*\n +if \(isIteratorProp)/m)
  if (!iteration || more.length > 0) throw new Error('idb makes cursors iterable in another way: cut it out there.')
  return `${before}/* @__PURE__ */ ${iteration}`
}
