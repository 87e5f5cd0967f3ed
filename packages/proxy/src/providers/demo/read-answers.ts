/** What the person answered to `ask_user_question`, by the header of each question; nothing when they would not say. */
import { isRecord, parseJson } from './transcript.ts'

export function readAnswers(result: string): Record<string, string> | undefined {
  const value = parseJson(result)
  if (!isRecord(value) || value.status !== 'answered' || !Array.isArray(value.answers)) return undefined
  return Object.fromEntries(value.answers.filter(isRecord).map((answer) => [String(answer.header), wordsOf(answer)]))
}

function wordsOf({ values, freeText }: Record<string, unknown>): string {
  const chosen = Array.isArray(values) ? values.map(String) : []
  return [...chosen, ...(typeof freeText === 'string' && freeText !== '' ? [freeText] : [])].join(', ')
}
