/** A Chromium on a profile of its own on the disk, that can be killed as a power cut would, and started again. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type Page } from 'playwright-core'
import { afterAll } from 'vitest'
import { type ChromiumProcess, startChromium } from '../../chromium-process.ts'

export interface KillableBrowser {
  /** Starts it where it does not run. */
  open(address: string): Promise<Page>
  kill(): Promise<void>
}

/** Killed, and its profile deleted, when the test file ends. */
export function killableBrowser(): KillableBrowser {
  const profile = mkdtempSync(join(tmpdir(), 'dogear-profile-'))
  let running: ChromiumProcess | undefined

  async function kill(): Promise<void> {
    await running?.kill()
    running = undefined
  }

  machines.push(async () => {
    await kill()
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
  })
  return {
    async open(address) {
      running ??= await startChromium(profile)
      const { address: devtools } = running
      // On a busy machine the first handshake may stay without an answer; a second one gets it.
      const browser = await chromium
        .connectOverCDP(devtools, { timeout: 15_000 })
        .catch(() => chromium.connectOverCDP(devtools))
      const page = await browser.contexts()[0]!.newPage()
      await page.goto(address)
      return page
    },
    kill,
  }
}

const machines: (() => Promise<void>)[] = []
afterAll(() => Promise.all(machines.map((end) => end())))
