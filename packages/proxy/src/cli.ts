#!/usr/bin/env node
/** `npx @dogear/proxy`. */
import { fromEnv } from './from-env.ts'
import { ProxyError } from './proxy-error.ts'
import { banner } from './serve/banner.ts'
import { help, readArguments } from './serve/read-arguments.ts'
import { serve } from './serve/serve.ts'

try {
  const { isHelp, ...options } = readArguments(process.argv.slice(2), process.env)
  if (isHelp) console.log(help)
  else await start(options)
} catch (error) {
  if (!(error instanceof ProxyError)) throw error
  console.error(error.message)
  process.exitCode = 1
}

async function start(options: {
  port?: number | undefined
  host?: string | undefined
  origins?: readonly string[] | undefined
}) {
  const environment = fromEnv(process.env)
  const served = await serve({ ...options, models: environment.models, log: (line) => console.error(line) })
  console.log(banner({ ...served, serves: environment.serves }))
  const stop = () => void served.close().then(() => process.exit(0))
  process.once('SIGINT', stop)
  process.once('SIGTERM', stop)
}
