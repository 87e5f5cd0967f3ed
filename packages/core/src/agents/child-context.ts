/** What an agent is told of the conversation it works for. */
import { isFromPerson, textOf } from '../session/message.ts'
import { withoutBlocked } from '../smart/guardrail.ts'
import type { Run, Task } from '../turn/run.ts'

export async function taskInput(run: Run, { input, context = 'minimal' }: Task): Promise<string> {
  if (context === 'minimal') return input
  const messages = withoutBlocked(await run.journal.messages())
  const shown = context === 'full' ? messages : messages.filter(isFromPerson).slice(-1)
  const background = shown.filter(textOf).map((message) => quoted(`${message.role}: ${textOf(message)}`))
  return `Background:\n${background.join('\n')}\n\nYour task: ${input}`
}

/** Marked line by line: what somebody said must not read like the task. */
function quoted(text: string): string {
  return text.replace(/^/gm, '> ')
}
