import { defineAgent } from '@dogear/core'
import { openMemoryStore } from '@dogear/store'
import { say, scriptedModel } from '@dogear/testing'
import { createClient, portWire } from '@dogear/worker'
import * as host from '@dogear/worker/host'

const { port1, port2 } = new MessageChannel()

// The worker's end. In a page this is another thread: `dogear` starts it from text.
host.serve(
  {
    post: (message) => port2.postMessage(message),
    listen: (receive) => (port2.onmessage = (event) => receive(event.data)),
  },
  {
    clock: host.browserClock,
    ids: host.browserIds,
    hash: host.sha256,
    network: host.browserNetwork,
    lock: host.browserLock,
    transport: host.browserTransport,
    openStore: async () => ({ store: openMemoryStore(), kept: false }),
    createModel: () => scriptedModel([]),
  },
)

// The page's end.
const client = createClient({
  connect: async () => portWire(port1),
  id: host.browserIds.id,
  now: Date.now,
  warn: console.warn,
})
const agent = defineAgent({ name: 'concierge', model: scriptedModel([say('Three', ' nights it is.')]) })
export const session = await client.open(agent, { type: 'id', id: 'trip-42' })
session.partial.subscribe((partial) => partial && console.log(partial.text))

export const result = await session.send('Three nights in Lisbon')
console.log(result.text) // Three nights it is.
