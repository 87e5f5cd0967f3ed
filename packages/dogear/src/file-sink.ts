/** Traces as files: `logs/<session>/trace.session.json`, and in `streaming` mode `events.jsonl` beside it while the run goes on. */
import { appendFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TraceSession, TraceSinkConfig } from '@dogear/core'

export interface FileSinkOptions {
  /** The folder the sessions' folders are made in. Default `logs`. */
  path?: string
}

export function fileSink({ path = 'logs' }: FileSinkOptions = {}): TraceSinkConfig {
  return {
    type: 'file',
    open({ mode }) {
      let folder = ''
      return {
        async start(session) {
          folder = join(path, folderName(session))
          await mkdir(folder, { recursive: true })
        },
        async event(event) {
          if (mode === 'streaming') await appendFile(join(folder, 'events.jsonl'), `${JSON.stringify(event)}\n`)
        },
        end: (session) => writeNew(folder, session),
      }
    },
  }
}

/** A name a caller chose must not lead out of the folder. */
function folderName({ sessionId }: TraceSession): string {
  return (
    sessionId
      .replaceAll(/[^\w.-]/g, '_')
      .replace(/^\.+/, '_')
      .slice(0, 200) || '_'
  )
}

/** A second run under the same id keeps the first one's file. */
async function writeNew(folder: string, session: TraceSession): Promise<void> {
  const text = `${JSON.stringify(session, null, 2)}\n`
  for (let number = 1; ; number += 1) {
    const name = `trace.session${number > 1 ? `.${number}` : ''}.json`
    try {
      return await writeFile(join(folder, name), text, { flag: 'wx' })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}
