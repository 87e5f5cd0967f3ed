/** Links and images, as far as their addresses are ones to lead to. */

import { ImagePlaceholder } from './image-placeholder.tsx'
import { hostToShow, safeUrl } from './link-target.ts'
import { nodesOf, type Piece, textOf, wrapIn } from './piece.ts'
import type { Target } from './read-link.ts'
import type { RenderOptions } from './render-options.ts'

export function renderLink(inside: readonly Piece[], target: Target, options: RenderOptions): readonly Piece[] {
  const url = safeUrl(target.href, options.base)
  const [outside] = wrapIn('a', inside)
  if (!url || !outside?.node) return inside
  const { text } = outside
  const host = hostToShow(url, text)
  const node = (
    <>
      <a
        href={url.href}
        title={target.title}
        target="_blank"
        rel="noopener noreferrer nofollow"
        onClick={(event) => options.onLink(url.href, event)}
      >
        {outside.hasImage ? text : nodesOf(inside)}
      </a>
      {host && <bdi class="host">{host}</bdi>}
    </>
  )
  return [{ ...outside, node, hasImage: false }]
}

export function renderImage(inside: readonly Piece[], { href }: Target, options: RenderOptions): readonly Piece[] {
  const url = safeUrl(href, options.base)
  const text = textOf(inside)
  if (!url || url.protocol === 'mailto:') return [{ text }]
  return [{ text, node: <ImagePlaceholder url={url} text={text} options={options} />, hasImage: true }]
}
