/** The ports as Node has them. */
import { createHash, randomBytes } from 'node:crypto'
import { tracedRun, type AgentPorts } from '@dogear/core'
import { browserClock as clock } from '@dogear/worker/host'
import { fileSink } from './file-sink.ts'

export const nodePorts: AgentPorts = {
  clock,
  hash: { sha256: (text) => createHash('sha256').update(text).digest('hex') },
  ids: { id: () => randomBytes(16).toString('hex') },
  warn,
  trace: (run, config) =>
    tracedRun(run, config, {
      clock,
      fetch: (url, init) => fetch(url, init),
      isPage: false,
      warn,
      fallback: fileSink(),
    }),
}

function warn(message: string): void {
  console.warn(`[dogear] ${message}`)
}
