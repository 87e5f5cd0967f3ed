/** Draws a view into a shadow root, where the page's styles do not reach. */

import { render, type ComponentChild, type VNode } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { styleSheet } from './theme/style-sheet.ts'

export function renderShadow(host: Element, view: ComponentChild): void {
  const root = host.shadowRoot ?? openShadow(host)
  render(view, root)
}

/** The same for a component in a Preact tree of the page's own. */
export function ShadowHost({ view }: { view: VNode }) {
  const host = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => renderShadow(host.current!, view))
  useLayoutEffect(() => {
    const element = host.current!
    return () => renderShadow(element, null)
  }, [])
  return <div ref={host} />
}

function openShadow(host: Element): ShadowRoot {
  const root = host.attachShadow({ mode: 'open' })
  root.adoptedStyleSheets = [styleSheet()]
  // Seen from outside a typed key comes from the host, which is no text field: page shortcuts would fire.
  for (const type of ['keydown', 'keypress', 'keyup']) root.addEventListener(type, (event) => event.stopPropagation())
  return root
}
