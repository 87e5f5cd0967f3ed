/** What our dependencies have in their files, and nothing of ours uses: left out, where a bundler alone would keep it. */

import type { Plugin } from 'vite'

export function withoutUnusedParts(): Plugin {
  return {
    name: 'dogear-unused-parts',
    transform(code, id) {
      if (id.includes('/node_modules/preact/dist/'))
        return { code: withoutKinds(withoutHydration(withoutLifecycles(code))), map: null }
      if (id.includes('/@preact/signals/dist/')) return { code: withoutBindings(code), map: null }
      if (id.includes('/@preact/signals-core/dist/')) return { code: withoutOptions(code), map: null }
      if (id.includes('/node_modules/idb/')) return { code: withoutIteration(code), map: null }
      if (id.includes('/node_modules/eventsource-parser/')) return { code: withoutReports(code), map: null }
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
  if (id.includes('/packages/widgets/')) return new RegExp(`${lifecycles}|${kindsUsed}|${signalsUsed}`)
  if (id.includes('/packages/worker/src/client/')) return new RegExp(signalsUsed)
  if (id.includes('/packages/models/')) return /onRetry|onComment|\.reset\(/
  return id.includes('/packages/store/')
    ? /for await|\.iterate\(|FromIndex\(|database\.(?:put|add|delete|clear)\(|\bblocked\(/
    : undefined
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

/** Elements and attributes that Preact treats apart, and no widget draws. */
const elements = 'math|foreignObject|template|progress'
const attributes = 'style|dangerouslySetInnerHTML'
const kindsUsed = [
  String.raw`(?:<|\bh\()"?(?:${elements})\b`,
  String.raw`[\s{,](?:${attributes}|defaultValue|defaultChecked|on\w+Capture)(?:=[{"]|:)`,
  String.raw`\bhydrate\(|\bcreatePortal\(|contextType`,
].join('|')

/** Preact asks for them by name. */
function withoutKinds(code: string): string {
  return cutOut('Preact', code, [
    [new RegExp(`"(?:${elements}|${attributes}|http://www.w3.org/1998/Math/MathML)"==[\\w$]+`, 'g'), '!1'],
    [new RegExp(`"(?:${elements})"!=[\\w$]+`, 'g'), '!0'],
    [/"default(?:Value|Checked)"in [\w$]+/g, '!1'],
    [/\.replace\(\/xlink.*?"h"\)\.replace\(\/sName\$\/,"s"\)/, ''],
    // Events caught on their way down.
    [/[\w$]+=([\w$]+)!=\(\1=\1\.replace\([\w$]+,"\$1"\)\),/, ''],
    // Portals.
    [/[\w$]+\.props\.__P\b/g, '(void 0)'],
    [/[\w$]+\.__P(?=&&\()/g, '!1'],
    // A class that names its context; hooks find theirs by themselves.
    [/[\w$]+=\(([\w$]+)=[\w$]+\.contextType\)&&.*?([\w$]+)=\1\?.*?:.*?:([\w$]+),/, '$2=$3,'],
    // What devtools listen to.
    [/[\w$]+\.(?:vnode|event|debounceRendering|__m)\b/g, '(void 0)'],
  ])
}

/** Two flags, a field and what is asked of an element are only for taking over what a server has drawn. */
function withoutHydration(code: string): string {
  return cutOut('Preact', code, [
    [/\b(?:32|128)&[\w$]+\.__u\b/g, '0'],
    [/(?<=[\w$]+=)\([\w$]+=[\w$]+&&0\)\?null:(?=[\w$]+\.__k)/, ''],
    [/[\w$]+&&(?="function"!=typeof [\w$]+\|\|)/, '0&&'],
    [/[\w$]+&&(?="textarea"!=[\w$]+\|\|)/, '0&&'],
    [/[\w$]+&&(?=[\w$]+\.data==)/, '0&&'],
    // The same for whatever stands in a container before the first drawing. Ours is empty.
    [/[\w$]+\.firstChild\?[\w$]+\.call\([\w$]+\.childNodes\):/, ''],
    [/,[\w$]+(?=\)for\([\w$]+=0;[^)]*\)if\(\([^)]*\)&&\([\w$]+\?[\w$]+\.localName)/, ',0'],
    [/"textarea"==[\w$]+&&null!=[\w$]+\.defaultValue\?null:[\w$]+&&[\w$]+\.call\([\w$]+\.childNodes\)/, 'null'],
    [/![\w$]+&&[\w$]+(?=\)for\([\w$]+=\{\})/, '0'],
    [/([\w$]+)\?\1\[0\]:/, ''],
    [/([\w$]+)&&\1\.some\([\w$]+\)(?=\)?,)/g, '0'],
    [/\([\w$]+=[\w$]+\.__z\)/, '!1'],
    [/[\w$]+(?:\.[\w$]+)*\.__z\b(?!=)/g, '(void 0)'],
  ])
}

/** How a file would say that it needs them after all. */
const signalsUsed = String.raw`useSignalEffect|useModel|\bwatched\b|unwatched|createModel\b.*@preact/signals`

/**
 * A signal as an element's text or attribute would be followed without drawing the component again. None is: a test sees
 * to it. Its text is a method given to all signals; its attributes are looked for as an element comes, changes and goes.
 */
function withoutBindings(code: string): string {
  return cutOut('Signals', code, [
    [/Object\.defineProperties\(.*?\}\);(?=\w+\("__b")/s, ''],
    [/if\("string"==typeof \w+\.type\)\{var \w+,\w+=\w+\.props;.*?(?=\w+\(\w+\)\}\);)/, ''],
    [/var \w+;if\("string"==typeof \w+\.type&&.*?(?=\w+\(\w+\)\}\);)/, ''],
    [/if\("string"==typeof \w+\.type\)\{.*?\.__np=void 0\}else(?=\{)/, ''],
    // For the effects of a component.
    [/\w+\(function\(\)\{\w+=this\.N\}\)\(\);/, ''],
    // What devtools would show.
    [/"undefined"!=typeof window&&!!window\.__PREACT_SIGNALS_DEVTOOLS__/, '!1'],
    [/,"function"==typeof \w+\.type\?\w+\.type\.displayName\|\|\w+\.type\.name:""/, ''],
    [/,\{name:\w+\}/, ''],
  ])
}

/** Nothing of ours asks whether a signal is watched, names one, or makes a model, which collects its effects. */
function withoutOptions(code: string): string {
  return cutOut('Signals', code, [
    [/this\.W=.*?\.name(?=\})/, ''],
    [/else \w+\(function\(\)\{[^}]*\.W\)[^}]*\}\)/, ''],
    [/if\(void 0===\w+\)\w+\(function\(\)\{[^}]*\.Z\)[^}]*\}\)/, ''],
    [/this\.name=[^;]*;if\((\w+)\)\1\.push\(this\)/, ''],
    [/,\{name:"sub"\}/, ''],
    [
      /(?<=function \w+\(\w+\)\{var \w+=\w+),\w+=\w+(;\w+=void 0;)\w+=void 0;(try\{return \w+\(\)\}finally\{\w+=\w+);\w+=\w+/,
      '$1$2',
    ],
  ])
}

/**
 * The last thing idb does is to make cursors iterable; said to have no effect, it is dropped with all it needs. So are
 * its short ways to write and to read by an index, and what it would tell of a database that others hold.
 */
function withoutIteration(code: string): string {
  const [before, iteration, ...more] = code.split(/^(?=replaceTraps\(\(oldTraps\).*\n.*\n.*\n +if \(isIteratorProp)/m)
  if (!iteration || more.length > 0) throw new Error('idb makes cursors iterable in another way: cut it out there.')
  return cutOut('idb', `${before}/* @__PURE__ */ ${iteration}`, [
    [/prop\.replace\(\/FromIndex\$\/, ''\)/, 'prop'],
    [/writeMethods\.includes\(targetFuncName\)/, 'false'],
    [/^    if \(blocked\) \{.*?^    \}$/gms, ''],
    [/^    (?:set|has)\(target, prop(?:, value)?\) \{.*?^    \},$/gms, ''],
    [/^    has: \(target, prop\) =>.*$/m, ''],
  ])
}

/** The parser tells of lines that are no part of an event, and can be used again: of its reports we heed one alone. */
function withoutReports(code: string): string {
  return cutOut('eventsource-parser', code, [
    [/case "retry":.*?default:.*?break;/s, ''],
    [/if \(typeof config == "function"\)\s*throw new TypeError\(.*?\);/s, ''],
    [/(?<=if \(terminated\)\s*)throw new Error\(.*?\n\s*\);/s, 'return;'],
    [/function reset\(.*?\n  \}\n/s, ''],
    [/(?<=return \{ feed), reset/, ''],
    [/, this\.field = .*?options\.line/, ''],
    [/ onRetry = noop, onComment,/, ''],
    // Short ways for lines that are read as well by the long one, and are few: all but data.
    [/const firstCharCode = chunk\.charCodeAt\(start\);.*?(?=const line = )/s, ''],
    [/(?<=else )isEventPrefix\(.*?void 0 : /s, ''],
  ])
}

/** Throws when a part is not there: a newer version may have it elsewhere. */
function cutOut(library: string, code: string, cuts: readonly (readonly [part: RegExp, left: string])[]): string {
  return cuts.reduce((rest, [part, left]) => {
    const cut = rest.replace(part, left)
    if (cut === rest) throw new Error(`${library} no longer has ${part}: cut it out in another way.`)
    return cut
  }, code)
}
