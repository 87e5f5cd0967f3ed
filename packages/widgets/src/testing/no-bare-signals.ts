/** No element may be given a signal itself, only its value: the script tag's build leaves out what would follow it. */

import { Signal } from '@preact/signals'
import { options, type VNode } from 'preact'

const before = options.vnode

options.vnode = (vnode: VNode) => {
  const { children, ...attributes } = vnode.props as { children?: unknown }
  const given = [children].flat(Infinity)
  if (typeof vnode.type === 'string') given.push(...Object.values(attributes))
  if (given.some((value) => value instanceof Signal)) {
    throw new Error(`A signal was given to <${String(vnode.type)}>. Give it the signal's value.`)
  }
  before?.(vnode)
}
