/** Rows of a table: their cells, and the columns of the row under the head. */

export type Align = 'left' | 'right' | 'center' | undefined

export function cellsOf(row: string): string[] {
  const inside = row.trim().replace(/^\||(?<!\\)\|$/g, '')
  return inside.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'))
}

/** The alignment of each column; undefined when the line is not such a row. */
export function delimiters(line: string): Align[] | undefined {
  if (!/^(?=.*[|:])[|:\s-]+$/.test(line)) return undefined
  const cells = cellsOf(line)
  return cells.every((cell) => /^:?-+:?$/.test(cell)) ? cells.map(alignOf) : undefined
}

function alignOf(cell: string): Align {
  if (cell.startsWith(':')) return cell.endsWith(':') ? 'center' : 'left'
  return cell.endsWith(':') ? 'right' : undefined
}
