/** The tour: six things to do to an agent, each ticked off when it has been done. */
import { codeBlock } from '../shell/code-block.js'
import { element } from '../shell/element.js'
import { isInTunnel, setTunnel, tunnelWorker } from '../shell/tunnel.js'
import { bookHotel, searchHotels } from './hotels.js'
import { createSteps } from './steps.js'
import { watchProgress } from './watch-progress.js'

const agent = window.Dogear.createSmartAgent({
  name: 'tour',
  endpoint: '/api/agent',
  worker: tunnelWorker(),
  instructions: 'You help people plan a trip.',
  tools: [searchHotels, bookHotel],
  useTodoList: true,
  humanInTheLoop: { askUser: true },
})
const chat = window.Dogear.mount('#agent', {
  agent,
  heading: 'Concierge',
  greeting: 'Where would you like to go?',
  starters: ['Plan a weekend in Lisbon', 'Show me a long answer', 'What can you do?'],
})

const steps = createSteps(document.querySelector('.tour'), [
  {
    id: 'hello',
    title: 'Say hello',
    words: 'A demo model answers, so there is no key to find first.',
    controls: [button('Say hello', () => say('Hello'))],
  },
  {
    id: 'reload',
    title: 'Leave in the middle',
    words: 'Let it count, then reload while it does. It goes on from the same number.',
    controls: [button('Count to 60', () => say('Count to 60')), button('Reload now', () => location.reload())],
  },
  {
    id: 'offline',
    title: 'Lose the network',
    words: 'Go offline and write something, or cut it off in mid-sentence. Nothing is lost, and nothing is sent twice.',
    controls: [offlineSwitch()],
  },
  {
    id: 'booking',
    title: 'Approve a booking',
    words: 'It plans, asks two questions, and then waits. You may change what it is about to do, or say no.',
    controls: [button('Plan a weekend in Lisbon', () => say('Plan a weekend in Lisbon'))],
  },
  {
    id: 'tab',
    title: 'Open a second tab',
    words: 'The same conversation, live in both. Answer in one what the other was asked.',
    controls: [button('Open a second tab', () => open(location.href))],
  },
  {
    id: 'copy',
    title: 'Copy this page',
    words: 'All of it. Save it as index.html and open it from any port on this machine.',
    controls: [codeBlock({ title: 'index.html', code: smallestPage(), onCopy: () => steps.done('copy') })],
  },
])
watchProgress(await chat.session, steps)

async function say(words) {
  chat.element.scrollIntoView({ block: 'nearest', behavior: 'smooth' })
  await chat.send(words)
}

function button(words, run) {
  const made = element('button', { type: 'button' }, words)
  made.addEventListener('click', run)
  return made
}

function offlineSwitch() {
  const made = element('button', { type: 'button', className: 'switch', role: 'switch' }, 'Offline')
  const show = () => made.setAttribute('aria-checked', String(isInTunnel()))
  made.addEventListener('click', () => setTunnel(!isInTunnel()))
  for (const event of ['online', 'offline']) addEventListener(event, show)
  show()
  return made
}

function smallestPage() {
  return `<!doctype html>
<html lang="en">
  <title>My page</title>
  <h1>My page</h1>
  <script src="${location.origin}/dogear.js" data-heading="Concierge"></script>
</html>`
}
