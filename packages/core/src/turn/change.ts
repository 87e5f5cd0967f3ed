/** Changes of a session that need neither a model nor tools: its name, and what is set for it. */
import { DogearError } from '../error.ts'
import { checkMode } from '../permission/mode.ts'
import type { Command } from '../session/command.ts'
import type { NewEntry } from '../session/journal.ts'

export type Change = Extract<Command, { type: 'rename' | 'set' }>

export function isChange(command: Command): command is Change {
  return command.type === 'rename' || command.type === 'set'
}

export function changeEntry(command: Change): NewEntry {
  const { commandId } = command
  if (command.type === 'rename') {
    return { type: 'title-set', commandId, title: label('title', command.title), source: 'person' }
  }
  const { tag, archived, mode } = command.settings
  if (mode !== undefined) checkMode(mode)
  if (typeof tag === 'string') label('tag', tag)
  if (archived !== undefined && typeof archived !== 'boolean') {
    throw new DogearError('input-invalid', 'archived must be true or false.')
  }
  return { type: 'meta-set', commandId, ...command.settings }
}

const longest = 200

function label(what: string, text: unknown): string {
  const words = typeof text === 'string' ? text.trim() : ''
  if (words && words.length <= longest) return words
  throw new DogearError('input-invalid', `A session's ${what} must be text of 1 to ${longest} characters.`)
}
