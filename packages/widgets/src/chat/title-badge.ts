/** "(2) Your page": how much waits for the person, before the page's own title, as long as it waits. */

import { effect, signal, type ReadonlySignal } from '@preact/signals'
import type { Session, SessionInfo } from '@dogear/worker'

export interface Counted {
  readonly session: Session
  /** Other sessions that wait. */
  readonly waiting: ReadonlySignal<readonly SessionInfo[]>
}

/** Counts a session's requests in the title, and what waits elsewhere; returns the end of it. */
export function badgeTitle(chat: Counted): () => void {
  start()
  counted.value = [...counted.peek(), chat]
  return () => {
    counted.value = counted.peek().filter((each) => each !== chat)
  }
}

/** One for each chat, also when two show the same session. */
const counted = signal<readonly Counted[]>([])
/** The title as it was written here last. */
let own: string | undefined

function start(): void {
  if (own !== undefined) return
  let title = ''
  const write = () => {
    const size = countWaiting(counted.value)
    // The page has changed it meanwhile, and means the whole of it.
    if (document.title !== own) title = document.title
    own = size > 0 ? `(${size}) ${title}`.trim() : title
    if (document.title !== own) document.title = own
  }
  effect(write)
  new MutationObserver(write).observe(document.head, { subtree: true, childList: true, characterData: true })
}

/** Once, what several chats tell of; and by its own requests what one of them shows. */
function countWaiting(chats: readonly Counted[]): number {
  const others = new Map(chats.flatMap(({ waiting }) => waiting.value.map((each) => [each.id, each.waiting])))
  for (const { session } of chats) others.delete(session.id)
  const requests = new Set(chats.flatMap(({ session }) => session.requests.value.map(({ id }) => id)))
  return [...others.values()].reduce((sum, count) => sum + count, requests.size)
}
