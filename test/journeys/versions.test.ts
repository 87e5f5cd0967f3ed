/** A release while a tab is open: the older script and the newer one, on one database of a real browser. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { say } from '@dogear/testing'
import { expect, inject, test } from 'vitest'
import { type Tab, useBrowser } from './support/browser.ts'
import { chatOf } from './support/chat.ts'
import { pageWith, startScriptedSite } from './support/scripted-site.ts'

const browser = useBrowser()

const page = pageWith(`Dogear.mount('#agent', { agent: Dogear.createAgent({ endpoint: '/api/agent' }) })`)
const newerPage = page.replace(`'/api/agent'`, `'/api/agent', worker: '/newer-worker.js'`)

test('[G13] a tab of the older script turns read-only when a newer one writes, and harms nothing; the newer goes on', async () => {
  const newerWorker = { html: nextRelease(), headers: { 'content-type': 'text/javascript' } }
  const pages = { '/': page, '/newer': newerPage, '/newer-worker.js': newerWorker }
  const site = await startScriptedSite({ pages, script: (_request, n) => say(`Answer ${n + 1}.`) })
  const visitor = await browser.newVisitor()
  const tab = await visitor.open(site.url)
  const older = chatOf(tab)
  await older.send('One')
  await older.says('Answer 1.')
  await older.is('Saved')
  const before = await storedIn(tab)

  const newer = chatOf(await visitor.open(`${site.url}/newer`))
  await newer.says('Answer 1.')
  await newer.send('Two')
  await newer.says('Answer 2.')
  await newer.is('Saved')
  await older.shows('A newer version opened this conversation. Reload to continue.')
  const after = await storedIn(tab)
  expect(after.journal.slice(0, before.journal.length)).toEqual(before.journal)
  expect(versionsOf(before)).toEqual([1])
  expect(versionsOf(after)).toEqual([1, 2])

  await older.send('Three')
  await tab.reload()
  await older.shows('A newer version opened this conversation. Reload to continue.')
  await older.says('Answer 1.')
  expect(await storedIn(tab)).toEqual(after)

  await newer.send('Four')
  await newer.says('Answer 3.')
  // What Reload loads once the release has arrived.
  await tab.goto(`${site.url}/newer`)
  await older.says('Answer 3.')
  expect(await older.read()).toEqual(['One', 'Answer 1.', 'Two', 'Answer 2.', 'Four', 'Answer 3.'])
  expect(site.asked).toHaveLength(3)
})

/** This release's worker as one would be that writes entries of the next version, and reads them. */
function nextRelease(): string {
  const text = readFileSync(join(inject('installed'), 'node_modules/dogear/dist/dogear-worker.js'), 'utf8')
  // What is written, by the journal and in the place of what is lost; and what is compared on reading.
  const places = [...text.matchAll(/\{v:1,seq:/g), ...text.matchAll(/(?:\.v|minReader(?:,0\))?)>1/g)]
  expect(places.map(([place]) => place).toSorted()).toEqual([
    '.v>1',
    '.v>1',
    'minReader,0)>1',
    'minReader>1',
    'minReader>1',
    '{v:1,seq:',
    '{v:1,seq:',
  ])
  return text.replace(/\{v:1,seq:/g, '{v:2,seq:').replace(/(\.v|minReader(?:,0\))?)>1/g, '$1>2')
}

interface Stored {
  readonly journal: readonly { readonly v: number }[]
  readonly inbox: readonly unknown[]
  readonly sessions: readonly unknown[]
}

/** All that is kept of what was said and asked. */
function storedIn(tab: Tab): Promise<Stored> {
  return tab.evaluate(async () => {
    const done = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve) => (request.onsuccess = () => resolve(request.result)))
    const database = await done(indexedDB.open('dogear'))
    const reading = database.transaction(['journal', 'inbox', 'sessions'])
    const [journal, inbox, sessions] = await Promise.all([
      done(reading.objectStore('journal').getAll() as IDBRequest<{ v: number }[]>),
      done(reading.objectStore('inbox').getAll()),
      done(reading.objectStore('sessions').getAll()),
    ])
    database.close()
    return { journal, inbox, sessions }
  })
}

function versionsOf({ journal }: Stored): number[] {
  return [...new Set(journal.map(({ v }) => v))]
}
