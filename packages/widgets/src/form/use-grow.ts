/** A text box as high as its text, also in browsers without `field-sizing`: the style sheet sets the limits. */

import type { RefObject } from 'preact'
import { useLayoutEffect } from 'preact/hooks'

export function useGrow(field: RefObject<HTMLTextAreaElement | null>, text: string): void {
  useLayoutEffect(() => {
    const box = field.current
    if (!box || CSS.supports('field-sizing', 'content')) return
    const grow = () => {
      box.style.height = 'auto'
      box.style.height = `${box.scrollHeight + box.offsetHeight - box.clientHeight}px`
    }
    grow()
    // Narrower, the same text is higher.
    addEventListener('resize', grow)
    return () => removeEventListener('resize', grow)
  }, [text])
}
