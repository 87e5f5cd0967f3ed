/** When the person's words match a tool the page offers: tries it once, and reports the result truthfully. */
import { cityIn } from '../city-in.ts'
import { guessArguments } from '../guess-arguments.ts'
import type { Reply, Script } from '../reply.ts'
import { readOutcome } from '../tool-outcome.ts'
import { nightsIn } from '../trip/trip.ts'
import { lastUse, offers, type OfferedTool, type ToolUse, type Transcript } from '../transcript.ts'

export const useTool: Script = (transcript) => {
  const tool = bestMatch(transcript)
  if (tool === undefined) return undefined
  const use = lastUse(transcript, tool.name)
  const last = transcript.used.at(-1)
  if (use === undefined) return tryIt(tool, transcript)
  // In plan mode: shown, and carried out once the person agrees.
  if (last?.name === exitPlan) return isAgreed.test(last.result) ? tryIt(tool, transcript) : report(last)
  return isDenied.test(use.result) && offers(transcript, exitPlan) ? showPlan(use) : report(use)
}

const exitPlan = 'exit_plan_mode'
const builtIn = ['manage_todo_list', 'ask_user_question', 'get_tool_response', exitPlan]

/** What the loop says of a call that its rules or its mode have stopped, and of a plan that may be carried out. */
const isDenied = /^(Not allowed in this mode|This call is not allowed here|Nobody can be asked)/
const isAgreed = /^The person agreed/

function showPlan({ name, args }: ToolUse): Reply {
  const plan = `Use ${name} with ${JSON.stringify(args)}.`
  return { text: 'I may only look for now, so here is my plan.', calls: [{ name: exitPlan, args: { plan } }] }
}

/** A word of the tool's name counts double: descriptions are full of ordinary words. */
function bestMatch({ said, tools }: Transcript): OfferedTool | undefined {
  const spoken = wordsOf(said)
  const scored = tools
    .filter(({ name }) => !builtIn.includes(name))
    .map((tool) => ({ tool, score: 2 * shared(tool.name, spoken) + shared(tool.description ?? '', spoken) }))
  const best = scored.reduce((most, next) => (next.score > most.score ? next : most), { tool: undefined, score: 1 } as {
    tool: OfferedTool | undefined
    score: number
  })
  return best.tool
}

function shared(text: string, spoken: ReadonlySet<string>): number {
  return [...wordsOf(text)].filter((word) => spoken.has(word)).length
}

const ordinary = new Set(
  'this that with from your what have will page user please tool some them then when into get the and for you can are how'.split(
    ' ',
  ),
)

function wordsOf(text: string): Set<string> {
  const spaced = text.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase()
  const words = spaced.match(/\p{L}{3,}/gu) ?? []
  return new Set(words.filter((word) => !ordinary.has(word)).map((word) => word.replace(/(?<=\p{L}{3})s$/u, '')))
}

function tryIt(tool: OfferedTool, { said }: Transcript): Reply {
  const [, item] = /\b(?:add|put|buy|order)\s+(?:an?|the|some)?\s*(.+?)(?:\s+(?:to|in|into)\b|[.?]|$)/i.exec(said) ?? []
  const city = cityIn(said)
  const hotel = `Casa ${city ?? 'Lisbon'}`
  const args = guessArguments(tool.parameters, { said, city, hotel, nights: nightsIn(said), item })
  return { text: `I will use \`${tool.name}\` for that.`, calls: [{ name: tool.name, args }] }
}

function report({ name, result }: ToolUse): Reply {
  if (isDenied.test(result)) return { text: `\`${name}\` is not allowed here, so nothing was done.` }
  const outcome = readOutcome(result)
  if (outcome.type === 'rejected')
    return { text: `You declined \`${name}\`, so nothing was done.${quote(outcome.comment)}` }
  if (outcome.type === 'failed')
    return {
      text: `\`${name}\` did not work: ${outcome.reason}\n\nNothing more was tried. Ask again if you want another go.`,
    }
  if (outcome.text === '') return { text: `\`${name}\` ran and had nothing to say.` }
  return { text: `\`${name}\` answered:\n\n> ${outcome.text}` }
}

function quote(comment: string): string {
  return comment === '' ? '' : ` I noted what you said: “${comment}”`
}
