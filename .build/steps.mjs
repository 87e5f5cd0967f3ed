/** What `npm start` and `npm test` do before anything is installed: only Node's own modules here. */

import { spawn } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))

/** Whether what the lockfile names has been installed since it last changed. */
export function isInstalled() {
  return modified(join(root, 'node_modules/.modules.yaml')) > modified(join(root, 'pnpm-lock.yaml'))
}

export async function install() {
  await must('install', pnpm('install', '--frozen-lockfile'))
}

/** Whether every package has been built since any source last changed. */
export function isBuilt() {
  const folders = readdirSync(join(root, 'packages')).map((name) => join(root, 'packages', name))
  const sources = [join(root, '.build'), ...folders.map((folder) => join(folder, 'src'))].flatMap(filesIn)
  const manifests = folders.map((folder) => join(folder, 'package.json'))
  const built = Math.min(...folders.map((folder) => modified(join(folder, 'dist/index.js'))))
  return built > Math.max(...[...sources, ...manifests].map(modified))
}

export async function build() {
  await must('build', pnpm('build'))
}

/** The command line of a pnpm command: through npx, so that Node and npm are all a newcomer needs. */
export function pnpm(...args) {
  return ['npx', '-y', 'pnpm@10', ...args]
}

/**
 * Runs a command to its end and keeps what it prints.
 * @param {string[]} commandLine
 * @param {Record<string, string>} [env]
 * @returns {Promise<{ succeeded: boolean, output: string }>}
 */
export function run([command, ...args], env = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      // Windows finds npx only through its shell.
      shell: process.platform === 'win32',
    })
    const end = () => child.kill()
    process.once('exit', end)
    child.once('close', () => process.off('exit', end))
    let output = ''
    child.stdout.on('data', (text) => (output += text))
    child.stderr.on('data', (text) => (output += text))
    child.on('error', (error) => resolve({ succeeded: false, output: `${output}${error.message}\n` }))
    child.on('close', (code) => resolve({ succeeded: code === 0, output }))
  })
}

/** The end of what a command printed, where it says why it failed. */
export function tail(output, lines = 40) {
  return output.trimEnd().split('\n').slice(-lines).join('\n')
}

/** A step without which nothing else can go on. */
async function must(name, commandLine) {
  const { succeeded, output } = await run(commandLine)
  if (!succeeded) throw new Error(`The ${name} failed:\n\n${tail(output)}\n\nTry it alone: ${commandLine.join(' ')}`)
}

function filesIn(folder) {
  return readdirSync(folder, { recursive: true }).map((name) => join(folder, name))
}

function modified(file) {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0
}
