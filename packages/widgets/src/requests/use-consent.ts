/**
 * When a click on Approve is a decision: everything was on the screen, nothing moved for half a second, nothing of the
 * page lies over it, and it was a person who clicked.
 */

import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'

export interface Consent {
  /** Goes to the request's form. */
  readonly form: { current: HTMLFormElement | null }
  /** Rows nobody can have seen yet, and that are not in view. */
  readonly unseen: number
  readonly isCovered: boolean
  readonly canApprove: boolean
  /** Brings the next of what was not seen into view. */
  readonly showNext: () => void
  /** Calls back for a person's click while it may be a decision. */
  readonly whenMeant: (approve: () => void) => (event: Event) => void
}

export function useConsent(): Consent {
  const form = useRef<HTMLFormElement>(null)
  const unseen = useSignal(0)
  const isCalm = useSignal(false)
  const isCovered = useSignal(false)
  const watch = useRef({
    seen: new WeakSet<Element>(),
    views: new WeakMap<Element, View>(),
    place: '',
    since: 0,
    clearAt: 0,
    isClear: true,
  }).current

  /** Notices what moved since the last look, and what has come into view. */
  const look = () => {
    if (!form.current) return
    const now = performance.now()
    const [matter, buttons] = partsOf(form.current)
    // Approve is last, or among the answers that are.
    const place = placeOf(buttons.lastElementChild!)
    if (!document.hidden) unseen.value = countUnseen(matter)
    if (place !== watch.place || !watch.isClear) watch.since = now
    if (watch.isClear) watch.clearAt = now
    watch.place = place
    isCalm.value = now - watch.since >= 500
    // Not for the moment in which it fades in.
    isCovered.value = now - watch.clearAt >= 500
  }

  const countUnseen = (matter: Element): number => {
    const clip = matter.getBoundingClientRect()
    const top = Math.max(clip.top, 0)
    // The last 8 px fade into the buttons.
    const bottom = Math.min(clip.bottom - 8, innerHeight)
    let count = 0
    for (const row of rowsOf(matter)) {
      if (watch.seen.has(row)) continue
      const rect = row.getBoundingClientRect()
      const more = row.getAttribute('data-more')
      const from = top - rect.top
      const to = bottom - rect.top
      const before = watch.views.get(row)
      // Twice in a row: not in passing, and not before this form had its own hint to make room for. And on from where it
      // was left: what lies between was not seen by a jump to the end.
      const isOn = before && Math.max(from, before.from) <= before.reach
      const reach = isOn ? Math.max(before.reach, Math.min(to, before.to)) : (before?.reach ?? slack)
      const end = rect.height - slack
      if (reach >= end && !more) watch.seen.add(row)
      else watch.since = performance.now()
      if (more || from > reach || to < end) count += Number(more ?? 1)
      watch.views.set(row, { from, to, reach })
    }
    return count
  }

  useEffect(() => {
    // There is no event for "it moved", and a page can move it by anything.
    const timer = setInterval(look, 100)
    const stop = watchCover(form.current!, (isClear) => (watch.isClear = isClear))
    look()
    return () => {
      clearInterval(timer)
      stop()
    }
  }, [])

  return {
    form,
    unseen: unseen.value,
    isCovered: isCovered.value,
    canApprove: isCalm.value,
    showNext() {
      const [matter] = partsOf(form.current!)
      const next = rowsOf(matter).find((row) => !watch.seen.has(row))
      if (next?.matches('button')) (next as HTMLElement).click()
      next?.scrollIntoView({ block: 'start' })
      // What is taller than the view goes on where it was left, a line before.
      const isTall = next && next.clientHeight > matter.clientHeight
      if (isTall) matter.scrollTop += Math.max(0, watch.views.get(next)!.reach - 24)
    },
    whenMeant: (approve) => (event) => {
      // It may have moved under the pointer since it was drawn.
      look()
      if (event.isTrusted && isCalm.peek()) approve()
    },
  }
}

/** What was in view of a row, from its top, and down to where all of it was seen. */
interface View {
  readonly from: number
  readonly to: number
  readonly reach: number
}

/** A pixel is no whole one on every screen. */
const slack = 2

function partsOf(form: Element) {
  // As RequestForm draws it.
  return form.children as unknown as readonly [Element, Element]
}

/** What must have been on the screen: each value and each field of the call, and what is still folded. */
function rowsOf(matter: Element): Element[] {
  return [...matter.querySelectorAll('dd:not(:has(dl)), div.field, .prompt, [data-more]')]
}

function placeOf(element: Element): string {
  const { x, y, width, height } = element.getBoundingClientRect()
  return [x, y, width, height].map(Math.round).join()
}

/** Whether nothing is drawn over it, and it is drawn as it is, not thinly; only Chromium tells. */
function watchCover(element: Element, changed: (isClear: boolean) => void): () => void {
  const observer = new IntersectionObserver(
    (entries) => {
      const { isIntersecting, isVisible } = entries.at(-1) as IntersectionObserverEntry & { isVisible?: boolean }
      // Scrolled away is not covered.
      changed(!isIntersecting || isVisible !== false)
    },
    { trackVisibility: true, delay: 100 } as IntersectionObserverInit,
  )
  observer.observe(element)
  return () => observer.disconnect()
}
