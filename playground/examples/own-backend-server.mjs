/** A server of your own: it knows its visitors, and keeps the key. */
import { randomUUID } from 'node:crypto'
import express from 'express'
import { createProxy } from '@dogear/proxy'
import { toNodeListener } from '@dogear/proxy/node'

const minute = 60_000
const visitors = new Map()

const proxy = createProxy({
  authorize: (token) => {
    const visitor = visitors.get(token)
    return (
      visitor !== undefined &&
      visitor.until > Date.now() && { subject: visitor.name }
    )
  },
})

const app = express()
app.use(express.static('public'))
app.use('/api/agent', toNodeListener(proxy))
app.get('/token', (request, response) => {
  const token = randomUUID()
  // Your own sign-in says who this is.
  visitors.set(token, { name: 'ana', until: Date.now() + 5 * minute })
  response.set('cache-control', 'no-store').type('text').send(token)
})
const server = app.listen(process.env.PORT ?? 3000, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${server.address().port}`)
})
