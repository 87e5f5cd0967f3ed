/**
 * `pnpm screenshots [folder]`: every widget state, light and dark, 400 and 320 px, on a white, a dark and a loud page,
 * into a folder outside the repo; and the README's picture, which is the real thing: an answer, a reload, the same answer.
 */

import { mkdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serve } from '@dogear/proxy/node'
import { chromium } from 'playwright-core'
import { createServer } from 'vite'
import { root } from '../.build/steps.mjs'
import { findChromium, launchArguments } from './browser.mjs'

const folder = process.argv[2] ?? join(tmpdir(), 'dogear-screenshots')
const states = [
  'empty',
  'branches',
  'streaming',
  'tool',
  'plan',
  'approval',
  'edit',
  'reject',
  'destructive',
  'disguised',
  'always',
  'batch',
  'checkpoint',
  'outcome',
  'answered',
  'card',
  'question',
  'several',
  'other',
  'preview',
  'review',
  'elicitation',
  'incomplete',
  'page',
  'disguisedPage',
  'inbox',
  'parked',
  'queued',
  'held',
  'offline',
  'resumed',
]

mkdirSync(folder, { recursive: true })
const browser = await chromium.launch({ executablePath: findChromium(), args: launchArguments })
try {
  await photographGallery()
  await photographReload()
} finally {
  await browser.close()
}
console.log(`The screenshots are in ${folder}, the README's picture in .github.`)

async function photographGallery() {
  const server = await createServer({
    root: join(root, 'playground'),
    configFile: join(root, 'vite.config.ts'),
    logLevel: 'error',
    server: { port: 0, host: '127.0.0.1' },
  })
  await server.listen()
  const address = server.resolvedUrls.local[0]
  const hosts = ['white', 'dark', 'loud'].flatMap((host) => ['light', 'dark'].map((theme) => [host, theme]))
  for (const [host, theme] of hosts) {
    for (const width of [400, 320]) {
      const page = await browser.newPage({ viewport: { width, height: 680 }, colorScheme: theme })
      const pictures = []
      for (const state of states) {
        await page.goto(`${address}gallery.html?state=${state}&theme=${theme}&host=${host}`)
        await page.locator('figure > :last-child').waitFor()
        await page.waitForTimeout(2500)
        pictures.push(await page.screenshot())
      }
      await page.close()
      await photographSideBySide(pictures, { width, height: 680 }, join(folder, `${host}-${theme}-${width}.png`))
    }
  }
  await server.close()
}

/** The signature moment, twice the same chat: cut off by a reload, and picked up. */
async function photographReload() {
  const proxy = await serve({ port: 0 })
  const size = { width: 440, height: 680 }
  const page = await browser.newPage({ viewport: size, deviceScaleFactor: 2 })
  await page.route('**/page.html', (route) => route.fulfill({ contentType: 'text/html', body: pageOf(proxy.url) }))
  await page.goto(`${proxy.url}/page.html`)
  await page.getByRole('textbox').fill('Show me a long answer')
  await page.keyboard.press('Enter')
  await page.waitForTimeout(2000)
  const before = await page.screenshot()
  await page.reload()
  await page.getByText('Picked up here').waitFor({ timeout: 20_000 })
  await page.waitForTimeout(600)
  const after = await page.screenshot()
  await page.close()
  await proxy.close()
  mkdirSync(join(root, '.github'), { recursive: true })
  await photographSideBySide([before, after], size, join(root, '.github/reload-mid-answer.png'))
}

function pageOf(proxy) {
  return `<!doctype html><meta charset="utf-8"><title>Concierge</title>
<style>body { margin: 20px; background: #e9e9e3 } dogear-chat { height: 640px }</style>
<dogear-chat heading="Concierge"></dogear-chat>
<script src="${proxy}/dogear.js"></script>`
}

async function photographSideBySide(pictures, { width, height }, file) {
  const columns = Math.min(pictures.length, 4)
  const rows = Math.ceil(pictures.length / columns)
  const viewport = { width: columns * width, height: rows * height }
  const page = await browser.newPage({ viewport, deviceScaleFactor: pictures.length > 2 ? 1 : 2 })
  const images = pictures.map(
    (picture) => `<img width="${width}" src="data:image/png;base64,${picture.toString('base64')}">`,
  )
  await page.setContent(`<body style="margin:0;display:flex;flex-wrap:wrap">${images.join('')}</body>`)
  writeFileSync(file, await page.screenshot())
  await page.close()
}
