/** Whether a command is one, before it is kept: what nobody can take would be put aside, and its sender wait for ever. */
import { badField, changeEntry, DogearError, isChange, type Command } from '@dogear/core'

export function checkCommand(command: Command): void {
  const bad = badField(command)
  if (bad) {
    const { field, mayBeNull } = bad
    const wanted = `${wants[field] ?? 'text'}${mayBeNull ? ', or null' : ''}`
    const call = calls[command.type] ?? command.type
    throw new DogearError('input-invalid', `session.${call}() cannot take this ${field}: give ${wanted}.`)
  }
  if (isChange(command)) changeEntry(command)
}

/** Where a command is not called as the session's method is. */
const calls: Readonly<Record<string, string>> = {
  plan: 'editPlan',
  requeue: 'editQueued',
  'resolve-all': 'resolveAll',
  'stop-task': 'stopTask',
}

const wants: Readonly<Record<string, string>> = {
  content: 'text, or a list of { type: "text", text } and { type: "image_url", image_url: { url } }',
  message: '{ role: "user" or "assistant", content }',
  messageId: 'the id of a message',
  requestId: 'the id of a request',
  requestIds: 'a list of ids',
  resolution: '{ type: "approve" } or another type; answers are a list, or by question',
  change: '{ operation: "write" or "update", todoList }',
  settings: 'an object of settings',
}
