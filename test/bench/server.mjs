/** The model's server, in a process of its own so that its work is nobody's: it replays, and reads only who spoke last. */

import { createServer } from 'node:http'
import { answerId, replies } from './replies.mjs'

let answers = 0

const server = createServer(async (request, response) => {
  const { calls, answer } = replies[request.url.split('/')[1]]
  const reply = calls && !isToolLast(await bodyOf(request)) ? calls : answer
  // Of its own, as from a live server: a client may take two answers with one id for the same.
  const id = String((answers += 1)).padStart(answerId.length, '0')
  const events = reply.events.map((event) => event.replaceAll(answerId, id))
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' })
  // An HTTP chunk an event, as live servers send them; a client is handed each by itself, however fast they come.
  if (reply.isBuffered) response.write(events.join(''))
  else for (const event of events) response.write(event)
  response.end()
})
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }))
process.on('disconnect', () => process.exit())

async function bodyOf(request) {
  const pieces = []
  for await (const piece of request) pieces.push(piece)
  return Buffer.concat(pieces)
}

/** The last role named in a body is its last message's: parsing long conversations would slow what is measured. */
function isToolLast(body) {
  const role = '"role":"tool"'
  return body.lastIndexOf('"role":"') === body.lastIndexOf(role)
}
