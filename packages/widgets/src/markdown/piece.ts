/** A piece of a line of text: words, or a node that stands for some. Neighbours become the children of a mark. */

import { type ComponentChildren, h, type VNode } from 'preact'

export interface Piece {
  /** Without its marks. */
  readonly text: string
  /** Words have none. */
  readonly node?: VNode
  /** How many marks are inside each other here. */
  readonly depth?: number
  readonly hasImage?: boolean
}

/** Marks nested deeper are left out: the page's stack has an end. */
export const depthLimit = 24

/** The pieces inside a mark, or as they are where marks are too deep already. */
export function wrapIn(tag: string, inside: readonly Piece[]): readonly Piece[] {
  const depth = 1 + inside.reduce((deepest, { depth: own = 0 }) => Math.max(deepest, own), 0)
  if (depth > depthLimit) return inside
  const hasImage = inside.some((piece) => piece.hasImage)
  return [{ text: textOf(inside), node: h(tag, null, nodesOf(inside)), depth, hasImage }]
}

export function textOf(pieces: readonly Piece[]): string {
  return pieces.map((piece) => piece.text).join('')
}

export function nodesOf(pieces: readonly Piece[]): ComponentChildren[] {
  return pieces.map((piece) => piece.node ?? piece.text)
}

/** Runs that made no mark are words; words beside words are one piece. */
export function merged(pieces: readonly Piece[]): Piece[] {
  const result: Piece[] = []
  let words = ''
  for (const piece of [...pieces, undefined]) {
    if (piece && !piece.node) words += piece.text
    else {
      if (words) result.push({ text: words })
      if (piece) result.push(piece)
      words = ''
    }
  }
  return result
}
