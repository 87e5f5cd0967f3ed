/** A person who looks at everything a request shows, and waits until it can be approved. */

import { expect, vi } from 'vitest'
import { find } from './in-the-page.ts'

export async function lookThrough(host: Element): Promise<void> {
  await vi.waitFor(
    () => {
      host.shadowRoot!.querySelector<HTMLElement>('.more')?.click()
      expect(find<HTMLButtonElement>(host, '.request .primary').disabled).toBe(false)
    },
    { timeout: 10_000, interval: 150 },
  )
}
