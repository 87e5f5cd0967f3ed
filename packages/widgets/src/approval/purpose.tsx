/** What a call is for, in the words of whoever made the tool. */

import type { Request } from '@dogear/core'
import { LongText } from '../value-list.tsx'
import { visibleText } from '../visible-text.ts'

export function Purpose({ description, prompt }: Pick<Request, 'description' | 'prompt'>) {
  return (
    <>
      {description && (
        <p class="meta">
          <LongText text={description} />
        </p>
      )}
      {prompt && <p class="prompt">{visibleText(prompt)}</p>}
    </>
  )
}
