/** A visitor's machine: a Chromium on a profile on the disk, driven through the debugger's own protocol. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import puppeteer, { type Browser, type BrowserContext } from 'puppeteer-core'
import { type ChromiumProcess, startChromium } from '../../chromium-process.ts'
import { openTab, type Tab } from './tab.ts'

export interface Machine {
  readonly profile: string
  /** A tab at this address; starts the browser where it does not run. */
  open(url: string, options?: { private?: boolean }): Promise<Tab>
  /** SIGKILL to the whole group. */
  kill(): Promise<void>
  /** Ends the browser and deletes its profile. */
  scrap(): Promise<void>
}

export function createMachine(): Machine {
  const profile = mkdtempSync(join(tmpdir(), 'dogear-rig-'))
  let running: Promise<{ process: ChromiumProcess; browser: Browser }> | undefined
  let hidden: Promise<BrowserContext> | undefined

  async function start() {
    const process = await startChromium(profile)
    return { process, browser: await puppeteer.connect({ browserWSEndpoint: process.address, defaultViewport: null }) }
  }

  async function kill(): Promise<void> {
    const killed = running
    running = undefined
    hidden = undefined
    await (await killed)?.process.kill()
  }

  return {
    profile,
    async open(url, { private: isPrivate = false } = {}) {
      running ??= start()
      const { browser } = await running
      if (isPrivate) hidden ??= browser.createBrowserContext()
      return openTab(await (isPrivate ? await hidden! : browser).newPage(), url)
    },
    kill,
    async scrap() {
      await kill()
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}
