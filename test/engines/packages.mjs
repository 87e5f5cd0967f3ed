/** The engines' Debian packages: found on this machine, or installed. */

import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

export const firefoxPath = '/usr/bin/firefox-esr'

/** Debian's own browser around WebKitGTK, which its driver starts. */
export function miniBrowserPath() {
  const library = '/usr/lib'
  const folders = readdirSync(library).filter((name) => name.endsWith('-linux-gnu'))
  const paths = folders.flatMap((folder) => versions.map((version) => join(library, folder, version, 'MiniBrowser')))
  return paths.find(existsSync)
}

const versions = ['webkit2gtk-4.1', 'webkitgtk-6.0', 'webkit2gtk-4.0']

/** Installs what is missing, where that is allowed; else says what to install. */
export function installEngines() {
  const missing = [
    !existsSync(firefoxPath) && 'firefox-esr',
    !(existsSync('/usr/bin/WebKitWebDriver') && miniBrowserPath()) && 'webkit2gtk-driver',
    !existsSync('/usr/bin/Xvfb') && 'xvfb',
  ].filter((name) => name !== false)
  if (missing.length === 0) return
  const command = `apt-get install -y --no-install-recommends ${missing.join(' ')}`
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) {
    throw new Error(`Firefox ESR and WebKitGTK are tested as Debian has them. As root, run: ${command}`)
  }
  console.log(`Installing ${missing.join(', ')}.`)
  execFileSync('apt-get', ['update', '-q'], quietly)
  execFileSync('apt-get', ['install', '-y', '-q', '--no-install-recommends', ...missing], quietly)
}

const quietly = { stdio: ['ignore', 'ignore', 'inherit'] }
