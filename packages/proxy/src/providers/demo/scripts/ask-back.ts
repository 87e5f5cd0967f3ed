/** "Ask me something": shows the question picker on its own. */
import { readAnswers } from '../read-answers.ts'
import type { Script } from '../reply.ts'
import { lastUse, offers } from '../transcript.ts'

export const askBack: Script = (transcript) => {
  if (!/\bask me\b/i.test(transcript.said) || !offers(transcript, 'ask_user_question')) return undefined
  const use = lastUse(transcript, 'ask_user_question')
  if (use === undefined)
    return { text: 'With pleasure.', calls: [{ name: 'ask_user_question', args: { questions: [question] } }] }
  const answers = readAnswers(use.result)
  if (answers === undefined) return { text: 'You skipped the question, which is a fine answer too.' }
  return {
    text: `${answers.Morning ?? 'Noted'}: a good choice. I will remember it as long as this conversation lasts.`,
  }
}

const question = {
  question: 'How do you like your mornings?',
  header: 'Morning',
  options: [
    { label: 'Slow, with coffee', description: 'No appointments before ten' },
    { label: 'Early and quiet', description: 'The city before it wakes' },
    { label: 'Straight outside', description: 'Breakfast can wait' },
  ],
}
