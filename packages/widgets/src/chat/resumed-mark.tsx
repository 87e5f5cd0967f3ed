/** "Picked up here": the folded corner in the text, where an answer went on as if nothing had happened. */

import { useWidget } from '../context.ts'

export function ResumedMark() {
  const { strings } = useWidget()
  return (
    <span class="resumed" part="resumed">
      <i class="ear" />
      {strings.resumed}
    </span>
  )
}
