/** A signal's value, taken at most once a frame: words may arrive faster than anyone can see. */

import { useSignal, type ReadonlySignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

export function useFramed<T>(source: ReadonlySignal<T>): T {
  const shown = useSignal(source.peek())
  useEffect(() => {
    let frame = 0
    const stop = source.subscribe(() => {
      frame ||= requestAnimationFrame(() => {
        frame = 0
        shown.value = source.peek()
      })
    })
    return () => {
      stop()
      cancelAnimationFrame(frame)
    }
  }, [source, shown])
  return shown.value
}
