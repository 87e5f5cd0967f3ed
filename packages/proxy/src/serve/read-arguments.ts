/** Reads the command line and PORT; a mistake in them is a sentence, not a stack. */
import { parseArgs } from 'node:util'
import { ProxyError } from '../proxy-error.ts'

export interface CommandLine {
  readonly isHelp: boolean
  readonly port: number | undefined
  readonly host: string | undefined
  readonly origins: readonly string[] | undefined
}

export const help = `npx @dogear/proxy [options]

  --port <number>    port to listen on (or PORT); default 8787
  --host <address>   address to listen on; default 127.0.0.1
  --origin <origin>  a page's exact origin, such as https://example.com; repeat for more
  --help             this text

Environment: OPENAI_API_KEY, OPENAI_BASE_URL, MODEL. With none of them, the demo model answers.`

export function readArguments(args: readonly string[], env: Readonly<Record<string, string | undefined>>): CommandLine {
  const values = parse(args)
  return {
    isHelp: values.help ?? false,
    port: readPort(values.port ?? (env.PORT || undefined)),
    host: values.host,
    origins: values.origin,
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        port: { type: 'string' },
        host: { type: 'string' },
        origin: { type: 'string', multiple: true },
        help: { type: 'boolean', short: 'h' },
      },
    }).values
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('. ')[0] : 'The arguments cannot be read'
    throw new ProxyError(500, 'arguments_invalid', `${reason}. See npx @dogear/proxy --help.`)
  }
}

function readPort(value: string | undefined): number | undefined {
  if (value === undefined) return undefined
  const port = Number(value)
  if (/^\d+$/.test(value) && port <= 65_535) return port
  throw new ProxyError(500, 'port_invalid', `"${value}" is not a port. Use a number up to 65535, such as 8787.`)
}
