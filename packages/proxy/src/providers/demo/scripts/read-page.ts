/** "What is this page?": uses whatever page-reading tool is offered, and reports what it said. */
import { guessArguments } from '../guess-arguments.ts'
import type { Reply, Script } from '../reply.ts'
import { readOutcome } from '../tool-outcome.ts'
import { lastUse, type OfferedTool, type Transcript } from '../transcript.ts'

export const readPage: Script = (transcript) => {
  if (!/\b(this|the|current) (page|site|screen|document)\b|\bread\b.*\bpage\b|\bpage title\b/i.test(transcript.said))
    return undefined
  const tool = transcript.tools.find(({ name }) => /page|title|document|screen|selection|dom/i.test(name))
  if (tool === undefined) return withoutTool
  const use = lastUse(transcript, tool.name)
  return use === undefined ? look(tool, transcript) : report(use.result)
}

const withoutTool: Reply = {
  text: `This page offers me no tool to read it with. It takes a few lines to give me one:

\`\`\`js
createTool({
  name: 'page_title',
  description: 'The title of the page',
  parameters: { type: 'object', properties: {} },
  effect: 'page',
  func: () => document.title,
})
\`\`\``,
}

function look(tool: OfferedTool, { said }: Transcript): Reply {
  return { text: 'Let me look.', calls: [{ name: tool.name, args: guessArguments(tool.parameters, { said }) }] }
}

function report(result: string): Reply {
  const outcome = readOutcome(result)
  if (outcome.type === 'rejected') return { text: 'You would rather I did not look at the page, so I have not.' }
  if (outcome.type === 'failed')
    return { text: `I tried to look, but the page answered with an error: ${outcome.reason}` }
  return { text: `The page answered:\n\n> ${outcome.text}\n\nThat is all I can see of it.` }
}
