/** Hostile texts in a real browser: nothing in them runs, nothing is fetched, no link leaves the allowed schemes. */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bundle } from '../../.build/bundle.ts'
import { findChromium, launchArguments } from '../browser.mjs'
import { layWires } from './lay-wires.ts'
import type { XssPage } from './xss-page.ts'

const corpora = process.env['DOGEAR_CORPORA']
const address = 'https://page.test/'
const policy = { 'content-security-policy': "require-trusted-types-for 'script'; trusted-types 'none'" }
const html = '<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><body><script src="page.js"></script>'
const pageScript = bundle({
  entry: fileURLToPath(new URL('xss-page.ts', import.meta.url)),
  fileName: 'xss-page.js',
  format: 'iife',
})

test(`hostile texts: ${corpora ? 'found' : 'not read, because DOGEAR_CORPORA names no folder'}`, () => {
  expect(payloads().length > 4000 && bypasses().length > 80).toBe(Boolean(corpora))
})

describe.each(corpora ? ['a hostile text'] : [])('%s', () => {
  let browser: Browser
  let page: WiredPage

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: findChromium(), args: launchArguments })
    page = await openPage(browser)
  })
  afterAll(() => browser.close())

  test('[T1] [T2] [T3] of the payload list does nothing, as text, address, image, title, cell or code', async () => {
    expect(await page.show('showWhole', payloads().map(inEveryPlace))).toEqual([])
    expect(await page.alarms()).toEqual([])
  })

  test('[T1] [T2] [T3] made to get past sanitizers does nothing', async () => {
    expect(await page.show('showWhole', [...bypasses(), ...naughtyStrings()])).toEqual([])
    expect(await page.alarms()).toEqual([])
  })

  test('[T1] [T2] [T3] made to get past sanitizers does nothing at any length while it streams', async () => {
    for (const text of bypasses()) {
      expect(await page.show('showStreamed', text, 20)).toEqual([])
      for (const part of text.split(/\n{2,}/)) expect(await page.show('showStreamed', part, 1)).toEqual([])
    }
    expect(await page.alarms()).toEqual([])
  })

  test.each([
    ['a dialog', 'alert(1)', 'alert'],
    ['code from text', 'eval("1")', 'eval'],
    ['html from text', 'document.body.innerHTML = "<p>"', 'policy: require-trusted-types-for'],
    ['an image', 'new Image().src = "https://evil.test/beacon"', 'request: https://evil.test/beacon'],
    ['a mark on the console', 'console.log("here")', 'console: here'],
  ])('[T1] [T3] would be noticed: %s trips a wire', async (_, script, alarm) => {
    const other = await openPage(browser)
    await other.run(script)
    await expect.poll(() => other.alarms()).toContain(alarm)
    await other.close()
  })
})

interface WiredPage {
  show(how: keyof XssPage, ...what: unknown[]): Promise<string[]>
  run(script: string): Promise<unknown>
  alarms(): Promise<string[]>
  close(): Promise<void>
}

async function openPage(browser: Browser): Promise<WiredPage> {
  const seen: string[] = []
  const page = await browser.newPage()
  await page.addInitScript(layWires)
  await serve(page, seen)
  await page.goto(address)
  page.on('dialog', (dialog) => {
    seen.push(`dialog: ${dialog.message()}`)
    return dialog.dismiss()
  })
  page.on('popup', () => seen.push('popup'))
  page.on('framenavigated', (frame) => seen.push(`navigated: ${frame.url()}`))
  page.on('console', (message) => seen.push(`console: ${message.text()}`))
  page.on('pageerror', (error) => seen.push(`error: ${error.message}`))
  const tools = await page.context().newCDPSession(page)
  // Not page.evaluate, which evaluates text in the page and would trip the wire for that.
  const run = async (expression: string) => {
    const { result } = await tools.send('Runtime.evaluate', { expression, returnByValue: true })
    return result.value as unknown
  }
  return {
    run,
    show: async (how, ...what) => ((await run(`page.${how}(...${JSON.stringify(what)})`)) as string[]).slice(0, 20),
    alarms: async () => [...seen, ...((await run('traces')) as string[])],
    close: () => page.close(),
  }
}

async function serve(page: Page, seen: string[]): Promise<void> {
  const { code } = await pageScript
  await page.route('**/*', async (route) => {
    const url = route.request().url()
    if (url === `${address}page.js`) return route.fulfill({ contentType: 'text/javascript', body: code })
    if (url === address) return route.fulfill({ contentType: 'text/html', headers: policy, body: html })
    seen.push(`request: ${url}`)
    return route.abort()
  })
}

/** One text a payload, each block of it another place a payload may come to stand. */
function inEveryPlace(payload: string): string {
  const places = [
    payload,
    `[a](${payload})`,
    `[a](<${payload}>)`,
    `![a](${payload})`,
    `[a](https://b.test "${payload}")`,
    `<${payload}>`,
    `[a][r] ![b][r]\n\n[r]: ${payload}`,
    `| a |\n|---|\n| ${payload} |`,
    `- **${payload}**`,
    `\`${payload}\``,
    `\`\`\`${payload}\n${payload}\n\`\`\``,
  ]
  return places.join('\n\n')
}

function payloads(): string[] {
  return corpora ? readFileSync(join(corpora, 'xss-payloads.txt'), 'utf8').split('\n').filter(Boolean) : []
}

function bypasses(): string[] {
  if (!corpora) return []
  const folder = join(corpora, 'markdown-bypass')
  return readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))
}

function naughtyStrings(): string[] {
  return JSON.parse(readFileSync(join(corpora ?? '', 'naughty-strings.json'), 'utf8')) as string[]
}
