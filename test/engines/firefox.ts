/** Firefox as Debian has it, driven over WebDriver BiDi. */
import type { Engine } from './engine.ts'
import { firefoxPath } from './packages.mjs'

export async function openFirefox(): Promise<Engine> {
  // Loaded here: the configuration of every suite names this file.
  const { default: puppeteer } = await import('puppeteer-core')
  const browser = await puppeteer.launch({ browser: 'firefox', executablePath: firefoxPath, headless: true })
  return {
    async open(url) {
      const page = await browser.newPage()
      await page.goto(url)
      return {
        evaluate: (body) => page.evaluate(`(async () => { ${body} })()`) as Promise<never>,
        click: (x, y) => page.mouse.click(x, y),
        type: (text) => page.keyboard.type(text),
        enter: () => page.keyboard.press('Enter'),
        reload: async () => void (await page.reload()),
        close: () => page.close(),
      }
    },
    close: () => browser.close(),
  }
}
