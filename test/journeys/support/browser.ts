/** One Chromium a file, a fresh profile a visitor, and every complaint of a page kept. */
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type LaunchOptions,
  type Page,
} from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { findChromium, launchArguments } from '../../browser.mjs'

export interface Visitor {
  readonly context: BrowserContext
  /** A tab of this visitor, at this address. */
  open(address: string): Promise<Tab>
  leave(): Promise<void>
}

export interface Tab extends Page {
  /** Warnings, errors and uncaught exceptions so far, each with its kind before it. */
  readonly complaints: readonly string[]
}

/** `args` are added to those every test starts it with. */
export type BrowserOptions = Pick<LaunchOptions, 'args' | 'ignoreDefaultArgs'>

/** Call it once at the top of a test file: the browser opens before its tests and closes after them. */
export function useBrowser(launch: BrowserOptions = {}): {
  newVisitor(options?: BrowserContextOptions): Promise<Visitor>
} {
  let browser: Browser
  beforeAll(async () => {
    const args = [...launchArguments, ...(launch.args ?? [])]
    browser = await chromium.launch({ executablePath: findChromium(), ...launch, args })
  })
  afterAll(() => browser?.close())
  return { newVisitor: async (options) => visitorOf(await browser.newContext(options)) }
}

function visitorOf(context: BrowserContext): Visitor {
  return {
    context,
    async open(address) {
      const page = await context.newPage()
      page.setDefaultTimeout(20_000)
      const complaints = listenTo(page)
      await page.goto(address)
      return Object.assign(page, { complaints })
    },
    leave: () => context.close(),
  }
}

function listenTo(page: Page): string[] {
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(`exception: ${error.message}`))
  page.on('console', (message) => {
    const type = message.type()
    if (type === 'warning' || type === 'error') complaints.push(`${type}: ${message.text()}`)
  })
  return complaints
}
