/** "(2) Your page": how much waits for the person, before the page's own title, as long as it waits. */

import { effect, signal } from '@preact/signals'
import type { Session } from '@dogear/worker'

/** Counts a session's requests in the title; returns the end of it. */
export function badgeTitle(session: Session): () => void {
  start()
  counted.value = [...counted.peek(), session]
  return () => {
    counted.value = counted.peek().toSpliced(counted.peek().indexOf(session), 1)
  }
}

/** One for each chat, also when two show the same session. */
const counted = signal<readonly Session[]>([])
/** The title as it was written here last. */
let own: string | undefined

function start(): void {
  if (own !== undefined) return
  let title = ''
  const write = () => {
    const { size } = new Set(counted.value.flatMap(({ requests }) => requests.value.map(({ id }) => id)))
    // The page has changed it meanwhile, and means the whole of it.
    if (document.title !== own) title = document.title
    own = size > 0 ? `(${size}) ${title}`.trim() : title
    if (document.title !== own) document.title = own
  }
  effect(write)
  new MutationObserver(write).observe(document.head, { subtree: true, childList: true, characterData: true })
}
