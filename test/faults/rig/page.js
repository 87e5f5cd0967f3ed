/** The page under fault: it pays invoices through its agent, and tells the outside all it was shown as kept. */

const pay = {
  name: 'pay',
  label: 'Pay the invoice',
  effect: 'once',
  async func(_args, { idempotencyKey, callId, sessionId }) {
    const response = await fetch('/ledger', {
      method: 'POST',
      body: JSON.stringify({ sessionId, callId, key: idempotencyKey }),
    })
    return response.text()
  },
}

const worker = new URLSearchParams(location.search).get('worker') ?? undefined
const agent = window.Dogear.createAgent({ name: 'cashier', endpoint: '/api/agent', tools: [pay], worker })
const sessions = new Map()

window.rig = {
  /** Opens the sessions, tells what they say, and answers what is unknown as a person would. */
  async open(sessionIds) {
    await Promise.all(sessionIds.map(openOne))
  },
  send(sessionId, text) {
    const turn = sessions.get(sessionId).send(text)
    turn.saved.then(() => mark({ type: 'command', sessionId, commandId: turn.id })).catch(() => {})
  },
  /**
   * When a new owner has raised the epoch above this one, in milliseconds since the epoch of clocks; and how many pings
   * had gone unanswered by then.
   */
  async tookOver(sessionId, epoch) {
    const database = await openDatabase()
    let silentPings = 0
    const channel = new BroadcastChannel(`dogear::${sessionId}`)
    channel.onmessage = ({ data }) => {
      if (data.type === 'ping') silentPings += 1
      if (data.type === 'pong') silentPings = 0
    }
    try {
      for (;;) {
        const row = await asPromise(database.transaction('sessions').objectStore('sessions').get(sessionId))
        if (row.epoch > epoch) return { at: Date.now(), silentPings }
        await new Promise((resolve) => setTimeout(resolve, 4))
      }
    } finally {
      channel.close()
      database.close()
    }
  },
  async settles(sessionId) {
    const { waiting, connection } = sessions.get(sessionId)
    for (;;) {
      if (waiting.value !== null) return waiting.value
      if (connection.value.type === 'failed') return connection.value.error.code
      if (connection.value.type === 'offline') return 'offline'
      if (isAtRest(await stored([sessionId]), sessionId, 0)) return 'rest'
      await new Promise((resolve) => setTimeout(resolve, 30))
    }
  },
  session: (sessionId) => sessions.get(sessionId),
  shown(sessionId) {
    const { messages, pending } = sessions.get(sessionId)
    return [...messages.value, ...pending.value].map(({ content }) => content)
  },
  exported: async (sessionId) => JSON.stringify(await agent.sessions.export(sessionId)),
  /** Takes all the space there is, down to the last hundred bytes. */
  async fill() {
    const opening = indexedDB.open('filler', 1)
    opening.onupgradeneeded = () => opening.result.createObjectStore('bytes', { autoIncrement: true })
    const database = await asPromise(opening)
    for (let size = 65_536; size > 64;) {
      const transaction = database.transaction('bytes', 'readwrite', { durability: 'strict' })
      // Bytes of chance: others would be compressed.
      transaction.objectStore('bytes').add(crypto.getRandomValues(new Uint8Array(size)))
      const isWritten = await new Promise((resolve) => {
        transaction.oncomplete = () => resolve(true)
        transaction.onabort = () => resolve(false)
      })
      if (!isWritten) size /= 2
    }
    database.close()
  },
  endWorker: () => workers.at(-1).terminate(),
  workers: () => workers.length,
  stored,
  /** Until nothing is open: the inbox is drained, every turn has ended, and this page shows the last words. */
  async rest(sessionIds, turns) {
    const until = performance.now() + 40_000
    for (;;) {
      const found = await stored(sessionIds)
      if (sessionIds.every((sessionId) => isAtRest(found, sessionId, turns))) return found
      if (performance.now() > until) throw new Error(`Not at rest: ${sessionIds.map((id) => whyNot(found, id)).join()}`)
      await new Promise((resolve) => setTimeout(resolve, 30))
    }
  },
}

async function openOne(sessionId) {
  const session = await agent.open(sessionId)
  sessions.set(sessionId, session)
  session.listen(({ seq, id }) => mark({ type: 'entry', sessionId, seq, id }))
  const answered = new Set()
  session.requests.subscribe((requests) => {
    for (const request of requests) {
      if (request.kind !== 'outcome' || answered.has(request.id)) continue
      answered.add(request.id)
      void answerOutcome(session, request)
    }
  })
}

async function answerOutcome(session, request) {
  const key = `${session.id}:${request.callId}`
  const body = JSON.stringify({ requestId: `${session.id}:${request.id}`, key })
  const response = await fetch('/outcome', { method: 'POST', body })
  const turn = session.resolve(request.id, await response.json())
  turn.saved.then(() => mark({ type: 'command', sessionId: session.id, commandId: turn.id })).catch(() => {})
}

function mark(what) {
  fetch('/marks', { method: 'POST', body: JSON.stringify(what) }).catch(() => {})
}

/** Read past the product, from the database itself. */
async function stored(sessionIds) {
  const database = await openDatabase()
  if (!database) return { journal: {}, inbox: [], rows: {} }
  try {
    const transaction = database.transaction(['journal', 'inbox', 'sessions'])
    const inbox = asPromise(transaction.objectStore('inbox').getAll())
    const each = sessionIds.map(async (sessionId) => {
      const range = IDBKeyRange.bound([sessionId], [sessionId, []])
      const [entries, row] = await Promise.all([
        asPromise(transaction.objectStore('journal').getAll(range)),
        asPromise(transaction.objectStore('sessions').get(sessionId)),
      ])
      return [sessionId, entries, row]
    })
    const found = await Promise.all(each)
    return {
      inbox: await inbox,
      journal: Object.fromEntries(found.map(([sessionId, entries]) => [sessionId, entries])),
      rows: Object.fromEntries(found.map(([sessionId, , row]) => [sessionId, row])),
    }
  } finally {
    database.close()
  }
}

async function openDatabase() {
  const known = await indexedDB.databases()
  if (!known.some(({ name }) => name === 'dogear')) return undefined
  const opening = indexedDB.open('dogear')
  // Not ours to make.
  opening.onupgradeneeded = () => opening.transaction.abort()
  return asPromise(opening).catch(() => undefined)
}

function asPromise(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}

function isAtRest({ inbox, journal }, sessionId, turns) {
  const session = sessions.get(sessionId)
  if (session.unsaved.value.length > 0 || inbox.some((command) => command.sessionId === sessionId)) return false
  const entries = journal[sessionId] ?? []
  const last = entries.findLast(({ type }) => type === 'turn-start' || type === 'turn-end')
  if (last?.type === 'turn-start' || session.queued.value.length > 0) return false
  if (entries.filter(({ type }) => type === 'turn-end').length < turns) return false
  const words = entries.findLast(({ type }) => type === 'message-add')?.message.id
  return session.status.value === 'idle' && session.messages.value.at(-1)?.id === words
}

function whyNot({ inbox, journal }, sessionId) {
  const { status, waiting, connection, requests, unsaved } = sessions.get(sessionId)
  const types = (journal[sessionId] ?? []).slice(-6).map(({ type, epoch }) => `${type}@${epoch}`)
  return JSON.stringify({
    sessionId,
    status: status.value,
    waiting: waiting.value,
    connection: connection.value,
    requests: requests.value.map(({ id }) => id),
    unsaved: unsaved.value.length,
    inbox: inbox.length,
    types,
  })
}
