/** What an agent is told of the conversation it works for. */
import { isFromPerson, textOf, type Message } from '../session/message.ts'
import { withoutBlocked } from '../smart/guardrail.ts'
import type { Run, Task } from '../turn/run.ts'

export async function taskInput(run: Run, { input, context }: Task): Promise<string> {
  if (context === undefined || context === 'minimal') return input
  const messages = withoutBlocked(await run.journal.messages())
  const known = context === 'full' ? transcriptOf(messages) : goalOf(messages)
  return known ? `${known}\n\nYour task: ${input}` : input
}

function goalOf(messages: readonly Message[]): string {
  const goal = messages.findLast(isFromPerson)
  return goal ? `What the person asked for, as background:\n${quoted(textOf(goal))}` : ''
}

function transcriptOf(messages: readonly Message[]): string {
  const lines = messages.map((message) => [message.role, textOf(message)]).filter(([, text]) => text)
  return lines.length
    ? `The conversation so far, as background:\n${lines.map(([role, text]) => quoted(`${role}: ${text}`)).join('\n')}`
    : ''
}

/** Marked line by line: what somebody said must not read like the task. */
function quoted(text: string | undefined = ''): string {
  return text.replace(/^/gm, '> ')
}
