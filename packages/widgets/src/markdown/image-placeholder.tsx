/** An image nobody asked for yet: who it is from and what it shows. Loading it would tell its host who reads. */

import { useSignal } from '@preact/signals'
import { hostOf } from './link-target.ts'
import type { RenderOptions } from './render-options.ts'

export interface ImagePlaceholderProps {
  readonly url: URL
  readonly text: string
  readonly options: RenderOptions
}

export function ImagePlaceholder({ url, text, options: { strings, allowImage } }: ImagePlaceholderProps) {
  // The address itself is kept, not a yes: the next image in this place was not asked for.
  const loaded = useSignal('')
  if (loaded.value === url.href) return <img src={url.href} alt={text} referrerpolicy="no-referrer" />
  return (
    <span class="image">
      {text && <span>{text}</span>}
      <span class="note">{strings.image(hostOf(url))}</span>
      {allowImage(url) && (
        <button type="button" onClick={() => (loaded.value = url.href)}>
          {strings.imageLoad}
        </button>
      )}
    </span>
  )
}
