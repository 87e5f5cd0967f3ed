/** What the page decides about a rendered answer, and what a block of it must know. */

import type { MarkdownStrings } from './markdown-strings.ts'
import type { Links } from './read-link.ts'

export interface RenderOptions {
  readonly strings: MarkdownStrings
  /** The page's own address, which relative links are relative to. */
  readonly base: string | undefined
  /** Asked for every image: may the visitor be offered to load it? */
  readonly allowImage: (url: URL) => boolean
  /** A link was followed; `preventDefault()` on the event keeps the browser from opening it. */
  readonly onLink: (url: string, event: MouseEvent) => void
}

export interface BlockOptions extends RenderOptions {
  readonly links: Links
  /** Still being written: marks that are open are shown closed. */
  readonly isOpen: boolean
}
