/** The words of an unfinished answer that are on the disk: what a reload from now on must show. */
import type { Page } from 'playwright-core'

export async function keptWords(page: Page): Promise<string> {
  const rows = await page.evaluate(async () => {
    const all = await indexedDB.databases()
    // Beside it there may be one that only passes.
    if (!all.some(({ name }) => name === 'dogear')) return []
    const opening = indexedDB.open('dogear')
    await new Promise((resolve) => (opening.onsuccess = resolve))
    const reading = opening.result.transaction('partials').objectStore('partials').getAll()
    await new Promise((resolve) => (reading.onsuccess = resolve))
    opening.result.close()
    return reading.result as { text: string }[]
  })
  return rows.map(({ text }) => text).join()
}
