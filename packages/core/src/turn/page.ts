/** The page a host's calls run on, as its owner knows it. A host without one, in memory or in a test, has none. */
import type { Intent } from '../session/state.ts'

export interface Page extends Authority {
  /** Its own name, the same for every worker it starts: asked again, it joins a call instead of starting another. */
  readonly id: string
  /**
   * Whether the page that was to run a call is gone. Where it lives on, frozen or robbed of the session, or nobody can
   * tell, this takes until what it was about to enter has been entered or never will be.
   */
  outlived(page: string): Promise<boolean>
}

/** The page that runs the call. Another tab's host is named after its page: `page.host`. */
export function pageOf({ host, page = host?.split('.')[0] }: Pick<Intent, 'host' | 'page'>): string | undefined {
  return page
}

/** By what right a tool is entered: a tab may freeze at any moment, and find the session driven by another when it wakes. */
export interface Authority {
  /** When the store last agreed, on a clock that nobody can set. */
  provenAt(): number
  /** Asks the store again; undefined when the call is another host's to decide. Never rejects. */
  confirm(): Promise<number | undefined>
}
