/** The examples, in the order one would meet them. */
export const examples = [
  { file: 'static-page', title: 'One tag', about: 'A static page with nothing but a script tag.' },
  { file: 'npm-app', title: 'From npm', about: 'Ten lines of TypeScript, bundled by Vite.' },
  { file: 'page-tool', title: 'Read the page', about: 'A function of the page, offered to the model as a tool.' },
  { file: 'approval', title: 'Ask before acting', about: 'A booking that waits for a yes, and can be changed first.' },
  { file: 'question', title: 'Ask back', about: 'The agent asks when it does not know, and goes on when you answer.' },
  { file: 'offline', title: 'Lose the network', about: 'What you write in a tunnel is sent once when you leave it.' },
  { file: 'second-tab', title: 'Two tabs', about: 'One conversation in two tabs: follow, decide, take over.' },
  { file: 'sessions', title: 'Many conversations', about: 'A list that is always up to date: find, rename, put away.' },
  { file: 'break-it', title: 'Break it', about: 'Kill the worker, fill the disk, go offline, and watch the journal.' },
  { file: 'theme', title: 'Your colours', about: 'An accent, a height, and dark when your page is dark.' },
  { file: 'own-backend', title: 'Your backend', about: 'Your server, your sign-in, a token that expires in between.' },
  { file: 'real-provider', title: 'A real model', about: 'Three environment variables, and any OpenAI-like server.' },
  { file: 'multi-page', title: 'Many pages', about: 'A turn that goes on while the visitor walks through a site.' },
  { file: 'logout', title: 'Sign out', about: 'Another user, another memory; nothing of the first is left.' },
]

export function addressOf({ file }) {
  return `/examples/${file}.html`
}
