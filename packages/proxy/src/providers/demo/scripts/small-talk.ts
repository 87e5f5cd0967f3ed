/** Greetings, thanks, and who is speaking. */
import type { Script } from '../reply.ts'

export const smallTalk: Script = ({ said }) => {
  const text = answers.find(([pattern]) => pattern.test(said))?.[1]
  return text === undefined ? undefined : { text }
}

const answers: readonly (readonly [RegExp, string])[] = [
  [
    /\b(who|what) are you\b|\byour name\b|\bare you (real|an? )/i,
    'I am the demo model of Dogear: a script with good manners, not a real model. Everything around me is real, though: the plan, the questions, the approvals, and the fact that you can reload this page in the middle of my sentence and I will finish it.',
  ],
  [
    /\bwhat can you do\b|\bhelp\b|\bwhat (should|can) i (try|ask|say)\b/i,
    `Here is what I know how to show:

- **Plan a weekend in Lisbon** walks through a plan, a question, a search and a booking that needs your approval.
- **Count to 40** is slow on purpose. Reload the page while I count.
- **Show me a long answer** fills the page with formatted text.
- **What is this page?** uses a page-reading tool, if the page offers one.

I am a demo without a real model, so anything else gets a polite shrug.`,
  ],
  [/\b(thanks|thank you|thx|cheers|merci|obrigad[oa])\b/i, 'You are welcome. It was a pleasure.'],
  [
    /\b(bye|goodbye|good night|see you)\b/i,
    'Goodbye. This conversation stays here; come back to it whenever you like.',
  ],
  [/\bhow are you\b|\bhow is it going\b/i, 'Very well, thank you. A script has few worries. What shall we try?'],
  [/\bjoke\b/i, 'A page walks into a library and folds its own corner. "So I know where I was," it says.'],
  [
    /^\W*(hello|hi|hey|hola|ol[aá]|good (morning|afternoon|evening)|greetings)\b/i,
    'Hello, and welcome. I am the demo model: scripted, with no real model behind me, but happy to show you around. Try *plan a weekend in Lisbon*, or ask me to *count to 40* and reload the page while I do.',
  ],
]
