/** The owner's page, and when the store last agreed that it is the owner's: each of its writes says so. */
import type { Page, Store } from '@dogear/core'
import { freshFor, pageLock } from '../fresh.ts'
import type { Platform } from './platform.ts'

export interface OwnPageOptions {
  readonly platform: Platform
  readonly store: Store
  readonly page: string
  /** From before the epoch was raised. */
  readonly provenAt: number
  /** Reads it off the store. */
  readonly isOwner: () => Promise<boolean>
}

export function ownPage(options: OwnPageOptions): { readonly page: Page; readonly store: Store } {
  const { platform, store } = options
  const ownedAt = platform.clock.elapsed()
  let { provenAt } = options
  /** Looked at once at a time: two calls that try its lock at the same time would each take the other for the page. */
  const pages = new Map<string, Promise<boolean>>()

  async function isGone(page: string): Promise<boolean> {
    // Where there are no such locks nobody can tell: taken for gone, a frozen page would do again what another has done.
    const free = await platform.lock.acquire(pageLock(page), { wait: false }).catch(() => undefined)
    free?.release()
    if (!free) await platform.clock.sleep(ownedAt + freshFor - platform.clock.elapsed())
    return free !== undefined
  }

  return {
    store: {
      ...store,
      async append(batch) {
        // Before, not after: a tab may freeze between the commit and the moment it hears of it.
        const at = platform.clock.elapsed()
        const answer = await store.append(batch)
        if (answer === 'appended') provenAt = at
        return answer
      },
    },
    page: {
      id: options.page,
      provenAt: () => provenAt,
      async confirm() {
        const at = platform.clock.elapsed()
        return (await options.isOwner()) ? (provenAt = at) : undefined
      },
      outlived(page) {
        const known = pages.get(page) ?? isGone(page).finally(() => pages.delete(page))
        pages.set(page, known)
        return known
      },
    },
  }
}
