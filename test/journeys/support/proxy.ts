/** The packed proxy, started by its own command line on a free port. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, inject } from 'vitest'

export interface RunningProxy {
  readonly url: string
  /** The script tag it prints for people to copy. */
  readonly tag: string
  /** All that it has printed. */
  printed(): string
  stop(): Promise<void>
}

export interface ProxyOptions {
  /** Milliseconds between two words of the demo model; more where a test has to act in the middle of an answer. */
  readonly pace?: number
  readonly port?: number
  /** Who answers: OPENAI_API_KEY, OPENAI_BASE_URL, MODEL. */
  readonly env?: Readonly<Record<string, string>>
}

/** Stopped when the test file ends, if not before. */
export async function startProxy({ pace = 1, port = 0, env = {} }: ProxyOptions = {}): Promise<RunningProxy> {
  // A folder of its own: the command must need nothing of the one it is started in.
  const folder = mkdtempSync(join(tmpdir(), 'dogear-proxy-'))
  const program = join(inject('installed'), 'node_modules/@dogear/proxy/dist/cli.js')
  const child = spawn(process.execPath, [program, '--port', String(port)], {
    cwd: folder,
    env: { ...withoutProvider(process.env), DOGEAR_DEMO_PACE: String(pace), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const printed = await untilPrinted(child, 'Ctrl-C stops it.')
  const [, url = ''] = /on (http:\/\/\S+)/.exec(printed()) ?? []
  const [tag = ''] = /<script .*<\/script>/.exec(printed()) ?? []
  const stop = () => end(child, folder)
  running.push(stop)
  return { url, tag, printed, stop }
}

const running: (() => Promise<void>)[] = []
afterAll(() => Promise.all(running.map((stop) => stop())))

async function end(child: ChildProcess, folder: string): Promise<void> {
  const ended = once(child, 'exit')
  if (child.kill()) await ended
  rmSync(folder, { recursive: true, force: true })
}

/** The machine's own key must not answer a test. */
export function withoutProvider({
  OPENAI_API_KEY: _key,
  OPENAI_BASE_URL: _url,
  MODEL: _model,
  PORT: _port,
  ...env
}: Env): Env {
  return env
}

type Env = NodeJS.ProcessEnv

async function untilPrinted(child: ChildProcess, words: string): Promise<() => string> {
  let printed = ''
  await new Promise<void>((resolve, reject) => {
    const listen = (chunk: Buffer) => {
      printed += chunk
      if (printed.includes(words)) resolve()
    }
    child.stdout?.on('data', listen)
    child.stderr?.on('data', listen)
    child.once('exit', () => reject(new Error(`The proxy ended early:\n${printed}`)))
  })
  return () => printed
}
