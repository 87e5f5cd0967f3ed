/** A Chromium on a profile of its own on the disk, that can be killed as a power cut would, and started again. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type Page } from 'playwright-core'
import { afterAll } from 'vitest'
import { findChromium, launchArguments } from '../../browser.mjs'

export interface KillableBrowser {
  /** Starts it where it does not run. */
  open(address: string): Promise<Page>
  kill(): Promise<void>
}

/** Killed, and its profile deleted, when the test file ends. */
export function killableBrowser(): KillableBrowser {
  const profile = mkdtempSync(join(tmpdir(), 'dogear-profile-'))
  let running: ChildProcess | undefined

  async function kill(): Promise<void> {
    if (running?.pid === undefined) return
    const ended = once(running, 'exit')
    // The whole group: no process of it gets to say goodbye.
    process.kill(-running.pid, 'SIGKILL')
    await ended
    running = undefined
    for (const name of readdirSync(profile)) if (name.startsWith('Singleton')) rmSync(join(profile, name))
  }

  machines.push(async () => {
    await kill()
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
  })
  return {
    async open(address) {
      running = spawn(
        findChromium() ?? 'chromium',
        [...launchArguments, '--headless', '--remote-debugging-port=0', `--user-data-dir=${profile}`],
        { detached: true, stdio: ['ignore', 'ignore', 'pipe'] },
      )
      const browser = await chromium.connectOverCDP(await debuggingAddress(running))
      const page = await browser.contexts()[0]!.newPage()
      await page.goto(address)
      return page
    },
    kill,
  }
}

const machines: (() => Promise<void>)[] = []
afterAll(() => Promise.all(machines.map((end) => end())))

async function debuggingAddress(child: ChildProcess): Promise<string> {
  let printed = ''
  for await (const piece of child.stderr!) {
    printed += piece
    const [, address] = /listening on (ws:\S+)/.exec(printed) ?? []
    if (address !== undefined) return address
  }
  throw new Error(`Chromium ended early:\n${printed}`)
}
