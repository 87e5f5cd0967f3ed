/** The model of the rig: it answers from what it is asked alone, so a step asked twice is answered alike. */
import type { Provider, ProviderRequest } from '@dogear/proxy'
import type { Moments } from './moments.ts'

export interface RigModel extends Provider {
  /** How many answers were begun for this invoice: each would be paid for. */
  asked(number: number): number
}

export function rigModel(moments: Moments): RigModel {
  const asked = new Map<number, number>()
  return {
    asked: (number) => asked.get(number) ?? 0,
    async stream(request) {
      const number = numberOf(request)
      asked.set(number, (asked.get(number) ?? 0) + 1)
      await moments.reach('asked')
      return isAnswered(request) ? words(number, moments) : calls(number, moments)
    },
    complete: () => Promise.reject(new Error('The rig streams.')),
  }
}

/** How many answers an undisturbed turn takes: the calls, and the words. */
export const asksPerTurn = 2

/** What the agent says at the end of a turn, whatever happened on the way. */
export function finalWords(number: number): string {
  return wordsOf(number).join('')
}

function wordsOf(number: number): string[] {
  return [`Invoice ${number} `, 'is ', 'paid ', 'and ', 'the ', 'receipt ', 'is ', 'filed.']
}

/** Every second turn pays two at once. */
async function* calls(number: number, moments: Moments): AsyncGenerator<object> {
  const count = number % 2 === 0 ? 2 : 1
  for (let index = 0; index < count; index += 1) {
    const pay = { name: 'pay', arguments: JSON.stringify({ invoice: number, part: index + 1 }) }
    yield chunk({ tool_calls: [{ index, id: `call_${number}_${index}`, type: 'function', function: pay }] })
  }
  yield chunk({}, 'tool_calls')
  void moments.reach('called')
}

async function* words(number: number, moments: Moments): AsyncGenerator<object> {
  for (const [at, word] of wordsOf(number).entries()) {
    if (at === 4) await moments.reach('streaming')
    yield chunk({ content: word })
    await new Promise((resolve) => setTimeout(resolve, 3))
  }
  yield chunk({}, 'stop')
  void moments.reach('answered')
}

function isAnswered({ messages }: ProviderRequest): boolean {
  return messages.at(-1)?.role === 'tool'
}

function numberOf({ messages }: ProviderRequest): number {
  const asked = messages.filter(({ role }) => role === 'user').at(-1)
  return Number(/\d+/.exec(JSON.stringify(asked?.content))?.[0])
}

function chunk(delta: object, finish_reason: string | null = null): object {
  return { object: 'chat.completion.chunk', model: 'rig', choices: [{ index: 0, delta, finish_reason }] }
}
