/** The Chromium that tests run in: found on this machine, or installed. */

import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** How every test starts it: no sandbox (containers run as root), and no traffic of its own. */
export const launchArguments = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-quic',
  '--disable-sync',
  '--no-first-run',
]

/**
 * The path of a Chromium, or undefined where there is none.
 * @returns {string | undefined}
 */
export function findChromium() {
  const chosen = process.env.CHROME_PATH
  if (chosen && !existsSync(chosen)) throw new Error(`CHROME_PATH names ${chosen}, but no such file exists.`)
  return chosen ?? usualPlaces.find(existsSync) ?? downloaded()
}

/** Installs one where `findChromium` found none: the distribution's on Debian as root, Playwright's download elsewhere. */
export function installChromium() {
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    execFileSync('apt-get', ['update', '-q'], quietly)
    execFileSync('apt-get', ['install', '-y', '-q', '--no-install-recommends', 'chromium'], quietly)
  } else {
    const cli = join(dirname(require.resolve('playwright-core/package.json')), 'cli.js')
    execFileSync(process.execPath, [cli, 'install', 'chromium'], quietly)
  }
}

const require = createRequire(import.meta.url)
const quietly = { stdio: ['ignore', 'ignore', 'inherit'] }
const usualPlaces = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
]

function downloaded() {
  const path = require('playwright-core').chromium.executablePath()
  return existsSync(path) ? path : undefined
}
