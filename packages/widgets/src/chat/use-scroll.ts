/** Keeps the reader's place: at the end while they are there, exactly where they read when they are not. */

import { useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { useWidget } from '../context.ts'

export function useScroll() {
  const { session, memory } = useWidget()
  const list = useRef<HTMLDivElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const top = useRef<HTMLParagraphElement>(null)
  const isAtEnd = useSignal(true)
  const jump = () => {
    isAtEnd.value = true
    list.current!.scrollTop = list.current!.scrollHeight
  }

  useLayoutEffect(() => {
    const kept = memory.get<number>('scroll')
    isAtEnd.value = kept === undefined
    list.current!.scrollTop = kept === undefined ? list.current!.scrollHeight : list.current!.scrollHeight - kept
  }, [])

  useEffect(() => {
    const scroller = list.current!
    let last = scroller.scrollTop
    const isNear = () => scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < 48
    const moved = () => {
      const { scrollTop } = scroller
      // Only who goes up has left the end: words that just came are further down than anyone could have scrolled.
      if (isNear() || scrollTop < last) isAtEnd.value = isNear()
      last = scrollTop
    }
    const keep = () => memory.set('scroll', isAtEnd.peek() ? undefined : scroller.scrollHeight - scroller.scrollTop)
    // It runs after layout, so that following a stream never forces one.
    const grown = new ResizeObserver(() => {
      // Another version may be so short that its end is in view.
      if (!isAtEnd.peek()) isAtEnd.value = isNear()
      if (isAtEnd.peek()) scroller.scrollTop = scroller.scrollHeight
    })
    grown.observe(content.current!)
    grown.observe(scroller)
    scroller.addEventListener('scroll', moved)
    scroller.addEventListener('scrollend', keep)
    return () => {
      grown.disconnect()
      scroller.removeEventListener('scroll', moved)
      scroller.removeEventListener('scrollend', keep)
    }
  }, [])

  // The person's own words are always brought into view.
  const sent = session.unsaved.value.length
  useLayoutEffect(() => {
    if (sent > 0) jump()
  }, [sent])

  useOlder(list, top)
  return { list, content, top, isAtEnd, jump }
}

type Ref<T> = { readonly current: T | null }

/** Loads earlier messages when their place comes near, and holds the reader's line while they arrive. */
function useOlder(list: Ref<HTMLElement>, top: Ref<HTMLElement>): void {
  const { session } = useWidget()
  const first = (session.messages.value[0] ?? session.pending.value[0])?.id
  const held = useRef<{ readonly turn: HTMLElement; readonly offset: number }>(undefined)

  useEffect(() => {
    if (!top.current) return
    const near = new IntersectionObserver(
      ([entry]) => {
        const turn = list.current?.querySelector<HTMLElement>('.turn')
        if (!entry!.isIntersecting || !turn) return
        held.current = { turn, offset: turn.offsetTop }
        // Browsers that hold the line themselves do so only away from the very top: one of the two must do it alone.
        list.current!.style.overflowAnchor = 'none'
        void session.loadOlder()
      },
      { root: list.current, rootMargin: '200px 0px 0px' },
    )
    near.observe(top.current)
    return () => near.disconnect()
  }, [first, session.hasOlder.value])

  useLayoutEffect(() => {
    if (!held.current) return
    const { turn, offset } = held.current
    list.current!.scrollTop += turn.offsetTop - offset
    list.current!.style.overflowAnchor = ''
    held.current = undefined
  }, [first])
}
