import { element } from '../shell/element.js'
import { isInTunnel, setTunnel } from '../shell/tunnel.js'
import { bookHotel, searchHotels } from '../tour/hotels.js'

// Kept to be killed: a page has no other way to get at the worker, and needs none.
const workers = new Set()
window.Worker = class extends Worker {
  constructor(...args) {
    super(...args)
    workers.add(this)
  }
}

let isFull = localStorage.getItem('playground-disk') === 'full'
const disk = new BroadcastChannel('playground-disk')
const states = [isInTunnel() && 'inside', isFull && 'full'].filter(Boolean)

const agent = window.Dogear.createSmartAgent({
  name: 'break-it',
  endpoint: '/api/agent',
  tools: [searchHotels, bookHotel],
  useTodoList: true,
  humanInTheLoop: { askUser: true },
  worker: `/shell/full-disk-worker.js?${states.join('&')}`,
})
const chat = window.Dogear.mount('#agent', {
  agent,
  heading: 'Concierge',
  starters: ['Plan a weekend in Lisbon', 'Count to 60'],
})

on('worker', () => workers.forEach((worker) => worker.terminate()))
on('tunnel', () => setTunnel(!isInTunnel()))
on('reload', () => location.reload())
on('disk', () => {
  setDisk(!isFull)
  localStorage.setItem('playground-disk', isFull ? 'full' : 'free')
  disk.postMessage(isFull)
})
disk.addEventListener('message', ({ data }) => setDisk(data))
for (const event of ['online', 'offline']) addEventListener(event, showFaults)
showFaults()

const session = await chat.session
// One after the other, so that an older reading never covers a newer one.
let shown = showJournal()
session.listen(() => (shown = shown.then(showJournal)))
session.persisted.subscribe(showStorage)

function on(id, press) {
  document.getElementById(id).addEventListener('click', press)
}

function setDisk(next) {
  isFull = next
  showFaults()
}

function showFaults() {
  document.getElementById('tunnel').ariaPressed = String(isInTunnel())
  document.getElementById('disk').ariaPressed = String(isFull)
}

/** Asked once the first words are saved: the browser says yes to sites that are used a lot. */
function showStorage(isPersisted) {
  document.getElementById('storage').textContent = isPersisted
    ? 'The browser keeps it until you delete it.'
    : 'The browser may delete it when the disk is full: it has not promised to keep it.'
}

/** As it lies on the disk, not as somebody remembers it. */
async function showJournal() {
  const entries = await readJournal(session.id)
  const rows = entries.map(({ seq, type, ...rest }) =>
    element(
      'li',
      {},
      element('small', {}, String(seq)),
      element('b', {}, type),
      element('span', {}, wordsOf(rest)),
    ),
  )
  document.getElementById('journal').replaceChildren(...rows.toReversed())
}

function wordsOf({
  message,
  call,
  result,
  request,
  resolution,
  plan,
  step,
  argsHash,
  ...rest
}) {
  const words = [
    message?.content,
    call?.tool,
    result?.content,
    request?.label ?? request?.kind,
    resolution?.type,
    plan && `${plan.steps.length} steps`,
    step && `step ${step}`,
    argsHash && `sha256 ${argsHash}`,
    rest.title ?? rest.terminalReason ?? rest.model,
  ]
  return words.find(Boolean) ?? ''
}

async function readJournal(sessionId) {
  const database = await answer(indexedDB.open('dogear'))
  const range = IDBKeyRange.bound([sessionId], [sessionId, []])
  const entries = await answer(
    database.transaction('journal').objectStore('journal').getAll(range),
  )
  database.close()
  return entries.slice(-200)
}

function answer(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}
