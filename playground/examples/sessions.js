import { element } from '../shell/element.js'

const agent = window.Dogear.createSmartAgent({
  name: 'sessions',
  endpoint: '/api/agent',
  humanInTheLoop: { askUser: true },
})
const chat = window.Dogear.mount('#agent', {
  agent,
  heading: 'Companion',
  starters: ['Count to 60', 'Ask me something'],
})

const [search, archived] = document.querySelectorAll('#find input')
let stop = () => {}
search.addEventListener('input', subscribe)
archived.addEventListener('change', subscribe)
document
  .querySelector('#find button')
  .addEventListener('click', () => show(crypto.randomUUID()))
subscribe()

function subscribe() {
  stop()
  stop = agent.sessions.subscribe(
    (sessions) =>
      document
        .getElementById('sessions')
        .replaceChildren(...sessions.map(rowOf)),
    { text: search.value, archived: archived.checked },
  )
}

function show(id) {
  chat.update({ session: id })
}

function rowOf({ id, title, firstPrompt, status, waiting, archived }) {
  const name = title ?? firstPrompt ?? 'Conversation'
  const { sessions } = agent
  return element(
    'li',
    {},
    action(name, () => show(id)),
    element('span', {}, waiting ? 'Waits for you' : words[status]),
    action('Rename', () => {
      const next = prompt('Its name', name)
      if (next?.trim()) sessions.rename(id, next)
    }),
    archived
      ? action('Bring back', () => sessions.unarchive(id))
      : action('Archive', () => sessions.archive(id)),
    action('Delete', () => sessions.delete(id)),
  )
}

const words = { idle: '', busy: 'Working', paused: 'Waits for you' }

function action(label, press) {
  const button = element('button', { type: 'button' }, label)
  button.addEventListener('click', press)
  return button
}
