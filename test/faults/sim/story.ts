/** What a person asks for in one run, what the model does about it, and what they say when they are asked. */
import { textOf, type Message } from '@dogear/core'
import { call, say, usage, type Beat } from '@dogear/testing'
import type { Random } from './random.ts'

export const toolNames = ['pay', 'book', 'mail', 'note', 'look', 'scroll', 'stall', 'ask_user_question'] as const
export type ToolName = (typeof toolNames)[number]

export interface Story {
  /** The calls of each step of each turn. */
  readonly turns: readonly (readonly (readonly ToolName[])[])[]
  readonly tabs: number
  /** Whether the model's server keeps its answers, as the proxy does. */
  readonly isResumable: boolean
  /** A restless person stops turns, speaks while the agent works, and answers in two tabs at once. */
  readonly isRestless: boolean
  /** Whether there are Web Locks: a page on plain http has none, and rows in the store stand in for them. */
  readonly hasLocks: boolean
  /** Whether the agent sums up what is old, and remembers from it what holds for its user. */
  readonly remembers: boolean
}

export function randomStory(random: Random): Story {
  const calls = () => Array.from({ length: random.between(0, 3) }, () => random.pick(toolNames))
  const steps = () => Array.from({ length: random.between(0, 3) }, calls)
  return {
    turns: Array.from({ length: random.between(1, 3) }, steps),
    tabs: random.between(1, 3),
    isResumable: random.chance(0.6),
    isRestless: random.chance(0.3),
    hasLocks: random.chance(0.8),
    remembers: random.chance(0.5),
  }
}

/** Every tool, a step with several calls, a question, summaries, and a second turn. */
export const referenceStory: Story = {
  turns: [
    [['pay', 'book'], ['mail', 'note', 'scroll'], ['ask_user_question']],
    [['look', 'pay'], ['stall']],
  ],
  tabs: 1,
  isResumable: true,
  isRestless: false,
  hasLocks: true,
  remembers: true,
}

export function wordsOf(turn: number): string {
  return `Turn ${turn}`
}

/** Turns beyond the story repeat it, until all that is to go wrong has gone wrong. */
function stepsOf({ turns }: Story, turn: number): readonly (readonly ToolName[])[] {
  return turns[turn % turns.length] ?? []
}

export interface Position {
  /** What the turn began with. */
  readonly words: string
  readonly step: number
}

/** Where a conversation stands, read off what the model is sent and nothing else. */
export function positionOf(messages: readonly Message[]): Position {
  const begin = messages.findLastIndex((message) => message.role === 'user' && message.meta.origin !== 'system')
  // By its own words: a summary may speak for the steps before it.
  const last = messages.slice(begin + 1).findLast((message) => message.tool_calls && message.content)
  const [, step = -1] = /step (\d+)\.$/.exec(textOf(last ?? { content: '' })) ?? []
  return { words: textOf(messages[begin] ?? { content: '' }), step: Number(step) + 1 }
}

/** A request for a summary, not for an answer: it comes as one text. */
export function isSummary(messages: readonly Message[]): boolean {
  return /^(Conversation|Earlier summary):\n/.test(textOf(messages.at(-1) ?? { content: '' }))
}

/** What the model learns: the newest turn it was shown, whose value changes, and one fact for each turn, which never does. */
export function summaryOf(messages: readonly Message[]): Beat[] {
  const text = messages.map(textOf).join('\n')
  const turns = [...new Set([...text.matchAll(/user: Turn (\d+)/g)].map(([, turn]) => Number(turn)))]
  const facts = [
    ...turns.map((turn) => ({ key: `turn ${turn}`, value: 'asked for', confidence: 0.9 })),
    ...(turns.length ? [{ key: 'newest', value: String(Math.max(...turns)), confidence: 0.8 }] : []),
  ]
  const summary = {
    stable_facts: facts,
    active_goals: [],
    open_questions: [],
    discarded_obsolete: [],
    rawSummary: 'So far.',
  }
  return [...say(JSON.stringify(summary)), usage({ input: 10, output: 3 })]
}

export function answerAt(story: Story, { words, step }: Position): Beat[] {
  const [, turn] = /^Turn (\d+)$/.exec(words) ?? []
  const calls = turn === undefined ? [] : (stepsOf(story, Number(turn))[step] ?? [])
  return [
    ...say(words, ', step', ` ${step}.`),
    ...calls.map((name, index) => call(name, argsFor(name, `${turn}.${step}.${index}`))),
    usage({ input: 10, output: 3 }),
  ]
}

function argsFor(name: ToolName, of: string): object {
  if (name !== 'ask_user_question') return { of }
  return { questions: [{ question: `Sure of ${of}?`, options: [{ label: 'Yes' }, { label: 'No' }] }] }
}

/** What the person says to an approval, whichever run it is: some they edit, some they refuse. */
export function moodAbout(args: unknown): 'approve' | 'edit' | 'reject' {
  const text = JSON.stringify(args)
  const sum = [...text].reduce((total, letter) => total + letter.charCodeAt(0), 0)
  return (['approve', 'approve', 'edit', 'approve', 'reject'] as const)[sum % 5]!
}

/** One line a message, with no time and no ids in it. */
export type Line = string

/** The transcript of a run in which nothing goes wrong. */
export function transcriptOf(story: Story, turns: number): Line[] {
  return Array.from({ length: turns }, (_, turn) => {
    const steps = stepsOf(story, turn)
    // The first step without calls is the answer, and the turn's last.
    const silent = steps.findIndex((calls) => calls.length === 0)
    const last = silent === -1 ? steps.length : silent
    const lines = Array.from({ length: last + 1 }, (__, step) => {
      const calls = steps[step] ?? []
      const text = `Turn ${turn}, step ${step}.`
      return [`assistant: ${text} ${calls.join()}`, ...calls.map((name) => `tool: ${name}`)]
    })
    return [`user: ${wordsOf(turn)}`, ...lines.flat()]
  }).flat()
}

export function lineOf(message: Message): Line {
  if (message.role === 'tool') return `tool: ${message.meta.tool?.name}`
  if (message.role === 'user') return `user: ${textOf(message)}`
  const calls = (message.tool_calls ?? []).map((each) => each.function.name)
  return `${message.role}: ${textOf(message)} ${calls.join()}`
}
