/** What durability costs in a real Chromium: a step against one flushed write of the same bytes, late steps against early ones, opening a long session. */

import { createServer } from 'node:http'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { build } from 'vite'
import { findChromium, launchArguments } from '../browser.mjs'
import { median, print, times } from './table.mjs'

const rounds = 24
const longAfter = 2000

const script = await bundled('durable/page.ts')
const dogear = readFileSync(fileURLToPath(import.meta.resolve('dogear/script')))
const server = createServer(({ url }, response) => {
  const [type, body] =
    { '/page.js': ['text/javascript', script], '/dogear.js': ['text/javascript', dogear] }[url] ?? blank(url)
  response.writeHead(200, { 'content-type': type }).end(body)
}).listen(0, '127.0.0.1')
await new Promise((resolve) => server.once('listening', resolve))
const origin = `http://127.0.0.1:${server.address().port}`
// On the disk: a profile in memory flushes nothing, however strict a write is.
const profile = mkdtempSync(join(tmpdir(), 'dogear-bench-'))
const context = await chromium.launchPersistentContext(profile, {
  executablePath: findChromium(),
  args: launchArguments,
})
try {
  const page = await context.newPage()
  page.on('console', (message) => console.error(message.text()))
  await page.goto(`${origin}/steps`)
  await page.evaluate((steps) => bench.converse('long', steps), longAfter)
  print([['Durable steps, wall time in Chromium', 'floor', 'Dogear', 'budget', ''], ...(await steps(page))])
  const { entries, ms } = await opening(context)
  print([[`opening a session of ${entries} entries`, `${ms.toFixed(0)} ms`, '150 ms', ms <= 150 ? 'met' : 'missed']])
} finally {
  await context.close()
  server.close()
  rmSync(profile, { recursive: true })
}

/** Every round measures all of them, one after the other, beginning with another each time: what disturbs the machine disturbs them alike. */
async function steps(page) {
  const measured = []
  for (let round = 0; round < rounds; round += 1) {
    measured.push(
      await page.evaluate(
        async ({ round, longAfter }) => {
          await bench.converse(`short-${round}`, 20)
          const early = await bench.converse(`short-${round}`, 20)
          const late = await bench.converse('long', 20)
          const bytes = Math.round(early.bytesPerStep / 2) * 2
          const rows = Object.entries({
            write: () => bench.appends(`writes-${round}`, bytes / 2, 20),
            byHand: () => bench.appendsByHand(bytes / 2, 20),
            writePut: () => bench.strictPuts(bytes / 2, 20),
            put: () => bench.strictPuts(bytes, 20),
          })
          const costs = { early: Math.min(...early.msPerStep), late: Math.min(...late.msPerStep) }
          for (let turn = 0; turn < rows.length; turn += 1) {
            const [name, measure] = rows[(turn + round) % rows.length]
            costs[name] = await measure()
          }
          // Last: what so much takes to write, the disk goes on with for a while.
          costs.wholeEarly = await bench.wholeStates(bytes, 20, 5)
          costs.wholeLate = await bench.wholeStates(bytes, longAfter, 5)
          return costs
        },
        { round, longAfter },
      ),
    )
  }
  const ms = (row) => `${median(measured.map((each) => each[row])).toFixed(2)} ms`
  const ratio = (row, floor) => median(measured.map((each) => each[row] / each[floor]))
  const line = (title, row, floor, budget) => [
    title,
    ms(floor),
    times(ratio(row, floor)),
    budget ? times(budget) : '',
    budget ? (ratio(row, floor) <= budget ? 'met' : 'missed') : '',
  ]
  return [
    line('a write of the journal, against one flushed put of its bytes', 'write', 'writePut', 1.5),
    line('… the same by hand: a row looked at and set, three entries', 'byHand', 'writePut'),
    line('a whole step with its loop, two writes, against one put of its bytes', 'early', 'put'),
    line(`step ${longAfter}, against step 20`, 'late', 'early', 1.2),
    line('the whole state instead, at step 20', 'wholeEarly', 'put'),
    line(`the whole state instead, at step ${longAfter}`, 'wholeLate', 'put'),
  ]
}

/** From the call to the newest message, its worker started on the way. */
async function opening(context) {
  const measured = []
  for (let round = 0; round < rounds; round += 1) {
    const page = await context.newPage()
    await page.goto(`${origin}/open`)
    measured.push(
      await page.evaluate(async () => {
        const agent = Dogear.createAgent({ name: 'bench', endpoint: 'http://127.0.0.1:1' })
        const start = performance.now()
        const session = await agent.open('long')
        const newest = session.messages.value.at(-1)
        if (newest?.role !== 'assistant') throw new Error('The newest message is not there.')
        return performance.now() - start
      }),
    )
    await page.close()
  }
  const page = await context.newPage()
  await page.goto(`${origin}/open`)
  const entries = await page.evaluate(
    () =>
      new Promise((resolve) => {
        const opening = indexedDB.open('dogear')
        opening.onsuccess = () => {
          const row = opening.result.transaction('sessions').objectStore('sessions').get('long')
          row.onsuccess = () => resolve(row.result.seq)
        }
      }),
  )
  return { entries, ms: median(measured) }
}

function blank(url) {
  const tag = url === '/open' ? '/dogear.js' : '/page.js'
  return ['text/html', `<!doctype html><title>Bench</title><script src="${tag}"></script>`]
}

async function bundled(entry) {
  const [{ output }] = await build({
    configFile: false,
    logLevel: 'warn',
    root: fileURLToPath(new URL('.', import.meta.url)),
    build: { write: false, lib: { entry, formats: ['iife'], name: 'page', fileName: () => 'page.js' } },
  })
  return output[0].code
}
