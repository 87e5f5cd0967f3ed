/** Copies an answer; it lives in the gap below the turn, so that showing it moves nothing. */

import { useSignal } from '@preact/signals'
import { useWidget } from '../context.ts'
import { Icon } from '../icon.tsx'

export function CopyButton({ text }: { text: string }) {
  const { strings } = useWidget()
  const isCopied = useSignal(false)
  // Not there on plain http.
  if (!navigator.clipboard) return null
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    isCopied.value = true
  }
  return (
    <button
      class="copy"
      type="button"
      onClick={() => void copy()}
      onPointerLeave={() => (isCopied.value = false)}
      onBlur={() => (isCopied.value = false)}
    >
      <Icon name={isCopied.value ? 'check' : 'copy'} />
      {isCopied.value ? strings.copied : strings.copy}
    </button>
  )
}
