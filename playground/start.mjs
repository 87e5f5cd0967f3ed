/** `npm start`: from a fresh clone to an agent in a page, on the demo model or on yours. */

import { build, install, isBuilt, isInstalled, root } from '../.build/steps.mjs'

for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(0))

try {
  await start()
} catch (error) {
  console.error(`\n${error.message}\n`)
  process.exit(1)
}

async function start() {
  if (!isInstalled()) await step('Installing, a minute at most the first time', install)
  if (!isBuilt()) await step('Building', build)
  const proxy = await startProxy(8787)
  greet(await startPlayground(5173, proxy.url), proxy)
}

async function step(words, action) {
  console.log(`${words} …`)
  await action()
}

/** On the port asked for, or on the next that is free. */
async function startProxy(asked, port = asked) {
  const { fromEnv } = await import('@dogear/proxy')
  const { serve } = await import('@dogear/proxy/node')
  const { models, serves } = fromEnv(process.env)
  try {
    const { url, tag } = await serve({ port, models, log: console.error })
    if (port !== asked) sayTaken(asked, 'proxy', port)
    return { url, tag, serves }
  } catch (error) {
    if (error.code !== 'port_taken' || port === asked + 20) throw error
    return startProxy(asked, port + 1)
  }
}

/** The pages, live from their sources; what they ask of their own origin goes to the proxy. */
async function startPlayground(asked, proxy) {
  const { createServer } = await import('vite')
  const server = await createServer({
    root: `${root}playground`,
    configFile: `${root}vite.config.ts`,
    logLevel: 'warn',
    server: {
      host: '127.0.0.1',
      port: asked,
      proxy: {
        '^/api/agent/': { target: proxy, rewrite: (path) => path.slice('/api/agent'.length) },
        '^/(dogear|dogear-worker)\\.js$': proxy,
        '^/(chat/completions|models|streams/)': proxy,
      },
    },
  })
  await server.listen()
  const { port } = server.httpServer.address()
  if (port !== asked) sayTaken(asked, 'playground', port)
  return `http://127.0.0.1:${port}`
}

function sayTaken(port, name, used) {
  console.log(`Port ${port} is taken by another program, so the ${name} is on ${used}.`)
}

function greet(playground, { url, tag, serves }) {
  console.log(`
  ${bold('Dogear')}  agents that live in the page and never lose their place

  Playground  ${bold(playground)}
  Proxy       ${url}
  Answers     ${serves}

  Try         Press "Count to 60", and "Reload now" while it counts.
              Ask for "a weekend in Lisbon": it plans, asks, and waits before it books.
              Open the same page in a second tab.
              Paste this into any page on this machine:
              ${tag}

  Ctrl-C stops both.
`)
}

function bold(text) {
  return process.stdout.isTTY && !process.env.NO_COLOR ? `\u001B[1m${text}\u001B[22m` : text
}
