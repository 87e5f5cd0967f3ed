/** A Chromium on a profile on the disk, in a process group of its own, so that it can be killed as a power cut would. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { findChromium, launchArguments } from './browser.mjs'

export interface ChromiumProcess {
  /** Where a debugger connects. */
  readonly address: string
  kill(): Promise<void>
}

export async function startChromium(profile: string): Promise<ChromiumProcess> {
  const child = spawn(
    findChromium() ?? 'chromium',
    [...launchArguments, '--headless', '--remote-debugging-port=0', `--user-data-dir=${profile}`],
    { detached: true, stdio: ['ignore', 'ignore', 'pipe'] },
  )
  const end = () => killGroup(child)
  process.once('exit', end)
  return {
    address: await debuggingAddress(child),
    async kill() {
      process.off('exit', end)
      const ended = child.exitCode === null && child.signalCode === null && once(child, 'exit')
      killGroup(child)
      await ended
      await untilGroupIsGone(child)
      // What is left of them would keep the next browser on this profile from starting.
      for (const name of readdirSync(profile)) if (name.startsWith('Singleton')) rmSync(join(profile, name))
    },
  }
}

/** The whole group: no process of it gets to say goodbye. */
function killGroup(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  process.kill(-child.pid, 'SIGKILL')
}

/** Its storage service may outlive the browser by a write: the next browser must not open the files before. */
async function untilGroupIsGone({ pid }: ChildProcess): Promise<void> {
  for (let tries = 0; pid !== undefined && tries < 200 && isAlive(pid); tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

/** The dead that nobody has buried yet write nothing: where the system tells them apart they do not count. */
function isAlive(group: number): boolean {
  try {
    process.kill(-group, 0)
  } catch {
    return false
  }
  return process.platform !== 'linux' || readdirSync('/proc').some((name) => /^\d+$/.test(name) && isIn(group, name))
}

function isIn(group: number, pid: string): boolean {
  try {
    const [, state, , groupOfIt] = /^.*\) (\S) (\d+) (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
    return groupOfIt === String(group) && state !== 'Z'
  } catch {
    // It ended while it was looked at.
    return false
  }
}

async function debuggingAddress(child: ChildProcess): Promise<string> {
  let printed = ''
  for await (const piece of child.stderr!) {
    printed += piece
    const [, address] = /listening on (ws:\S+)/.exec(printed) ?? []
    if (address !== undefined) return address
  }
  throw new Error(`Chromium ended early:\n${printed}`)
}
