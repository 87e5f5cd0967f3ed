/** For everything no script knows: the truth, and how to plug in a real model. */
import type { Reply } from '../reply.ts'
import type { Transcript } from '../transcript.ts'

export function explainDemo({ tools }: Transcript): Reply {
  const offered = tools.map(({ name }) => `\`${name}\``).join(', ')
  return {
    text: `That is beyond me: I am a demo, a script without a real model behind it. What I can do is show you around. Try *plan a weekend in Lisbon*, *count to 40* or *show me a long answer*.

To talk to a real model, start again with a key:

\`\`\`sh
OPENAI_API_KEY=… npm start           # in the repository
OPENAI_API_KEY=… npx @dogear/proxy   # anywhere else
\`\`\`

\`OPENAI_BASE_URL\` and \`MODEL\` choose any server that speaks OpenAI's language.${
      offered === '' ? '' : `\n\nThis page offers me ${offered}; name one and I will try it.`
    }`,
  }
}
