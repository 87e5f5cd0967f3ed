/** How a task is going, in a line of the model's: asked aside, at most every half minute. */
import { describeError, type Entry } from '@dogear/core'
import type { SDKMessage, SDKTaskProgressMessage } from './sdk-message.ts'

export interface SummariesOptions {
  readonly ask: (about: string) => Promise<string>
  readonly tell: (progress: SDKTaskProgressMessage) => void
  readonly warn: (message: string) => void
}

export const summaryPrompt =
  'Another agent is at work on a task. Say in one short line, in the present tense, what it is doing now.'

const every = 30_000
const linesShown = 10
const lineLength = 300

/** Takes each entry with the messages that were made of it. */
export function createSummaries({ ask, tell, warn }: SummariesOptions) {
  const tasks = new Map<string, { readonly lines: string[]; at: number; isAsking: boolean }>()

  return (entry: Entry, told: readonly SDKMessage[]): void => {
    for (const message of told) {
      if (!('task_id' in message)) continue
      const { task_id: id } = message
      if (message.subtype === 'task_notification') tasks.delete(id)
      if (message.subtype !== 'task_progress' || entry.type !== 'tool-result') continue
      const task = tasks.get(id) ?? { lines: [], at: 0, isAsking: false }
      tasks.set(id, task)
      task.lines.push(`${entry.result.tool}: ${entry.result.content}`.slice(0, lineLength))
      const at = message.usage.duration_ms
      if (task.isAsking || at - task.at < every) continue
      Object.assign(task, { at, isAsking: true })
      const content = [`Task: ${message.description}`, 'Its last tools:', ...task.lines.slice(-linesShown)].join('\n')
      ask(content)
        .then((answer) => {
          const summary = answer.trim()
          // Over by now: a word about how it is going would come after its end.
          if (summary && tasks.get(id) === task) tell({ ...message, uuid: `${message.uuid}.summary`, summary })
        })
        .catch((error: unknown) => warn(`query: a task could not be summed up (${describeError(error)}).`))
        .finally(() => (task.isAsking = false))
    }
  }
}
