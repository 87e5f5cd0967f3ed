/** What a streaming answer has begun and not finished, shown calmly: no mark flashes as text, no half address is a link. */

/** The text without an end that may still become something else: a lone `-`, an opening fence, the head of a table. */
export function withoutUndecided(source: string): string {
  const lines = source.split('\n')
  const undecided = countUndecided(lines.at(-3) ?? '', lines.at(-2) ?? '', lines.at(-1) ?? '')
  return undecided ? [...lines.slice(0, -undecided), ''].join('\n') : source
}

/** Only the words of a link whose address is not all there. */
export function withoutUnfinishedLink(text: string): string {
  return text.replace(unfinishedLink, '$1').trimEnd()
}

function countUndecided(before: string, previous: string, last: string): number {
  if (isRow(previous) && !isRow(before) && /^[ |:-]*$/.test(last)) return 2
  return undecidedLine.test(last) || (isRow(last) && !isRow(previous)) ? 1 : 0
}

const isRow = (line: string) => line.startsWith('|')
const undecidedLine = /^ {0,3}(?:[-=+*_#>~`|:.\d)[\] \t]+$|```|~~~)/
/** `[words](http://…` to the end, with a title or the brackets of a reference. */
const unfinishedLink = /!?\[([^[\]]*)(?:\](?:[([](?:[^()[\]]|\([^()[\]]*\)?)*)?)?$/
