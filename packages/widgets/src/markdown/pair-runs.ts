/** Runs of `*`, `_` and `~`, and the marks two of them make. */

import { depthLimit, merged, type Piece, wrapIn } from './piece.ts'

/** A run that may open or close a mark; its text becomes shorter by what it made. */
export interface Run extends Piece {
  text: string
  readonly whole: number
  readonly canOpen: boolean
  readonly canClose: boolean
}

export function runAt(text: string, at: number, mark: string): Run {
  const end = at + mark.length
  const before = weightOf(Array.from(text.slice(Math.max(at - 2, 0), at)).at(-1))
  const after = weightOf(Array.from(text.slice(end, end + 2))[0])
  const isInWord = mark.startsWith('_') && before + after === 4
  return {
    text: mark,
    whole: mark.length,
    canOpen: !isInWord && after > 0 && after >= before,
    canClose: !isInWord && before > 0 && before >= after,
  }
}

/** A run opens towards what weighs at least as much as what is behind it, and never towards a space. */
function weightOf(character = ' '): number {
  return /\s/.test(character) ? 0 : /[\p{P}\p{S}]/u.test(character) ? 1 : 2
}

/** Makes marks of the runs: each closing run takes the nearest run that opens it. */
export function pairRuns(pieces: readonly Piece[]): Piece[] {
  const paired: Piece[] = []
  // How many pieces are known to open no such run: looking again would take the square of the length of some texts.
  const bottoms = new Map<string, number>()
  for (const piece of pieces) {
    if (isRun(piece) && piece.canClose) {
      const key = `${piece.text.charAt(0)}${piece.canOpen}${piece.whole % 3}`
      while (piece.text && closeOne(paired, piece, bottoms.get(key) ?? 0)) {
        for (const [each, bottom] of bottoms) bottoms.set(each, Math.min(bottom, paired.length))
      }
      if (piece.text) bottoms.set(key, paired.length)
    }
    if (piece.text || piece.node) paired.push(piece)
  }
  return paired
}

/** Closes what is open at the end of a text that is still being written. */
export function closeRuns(pieces: Piece[]): void {
  const open = pieces.filter((piece): piece is Run => isRun(piece) && piece.canOpen)
  for (const run of open.slice(-depthLimit).toReversed()) {
    const closer = { ...run }
    while (run.text) wrap(pieces, pieces.lastIndexOf(run), closer)
  }
}

function closeOne(pieces: Piece[], closer: Run, bottom: number): boolean {
  let open = pieces.length - 1
  while (open >= bottom && !isPair(pieces[open], closer)) open--
  if (open < bottom) return false
  wrap(pieces, open, closer)
  return true
}

const isRun = (piece: Piece | undefined): piece is Run => piece !== undefined && 'whole' in piece

function isPair(opener: Piece | undefined, closer: Run): boolean {
  const mark = closer.text.charAt(0)
  if (!isRun(opener) || !opener.canOpen || !opener.text.startsWith(mark)) return false
  // Of `~` only runs of the same length pair, which are one or two long.
  const isEither = opener.canClose || closer.canOpen || mark === '~'
  return !isEither || (opener.whole + closer.whole) % 3 !== 0 || opener.whole % 3 === 0
}

/** What stands after the opening run becomes a mark. */
function wrap(pieces: Piece[], open: number, closer: Run): void {
  const opener = pieces[open] as Run
  const inside = merged(pieces.splice(open + 1))
  const used = opener.text.length > 1 && closer.text.length > 1 ? 2 : 1
  const tag = closer.text.startsWith('~') ? 'del' : used === 2 ? 'strong' : 'em'
  opener.text = opener.text.slice(used)
  closer.text = closer.text.slice(used)
  if (!opener.text) pieces.pop()
  pieces.push(...wrapIn(tag, inside))
}
