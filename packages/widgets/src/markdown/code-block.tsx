/** Code with its language and a Copy button. */

import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import type { MarkdownStrings } from './markdown-strings.ts'

export interface CodeBlockProps {
  readonly text: string
  readonly language: string
  readonly strings: MarkdownStrings
}

export function CodeBlock({ text, language, strings }: CodeBlockProps) {
  const code = useRef<HTMLElement>(null)
  const outcome = useSignal('')
  const copy = async () => {
    const isCopied = await writeClipboard(text)
    if (!isCopied && code.current) getSelection()?.selectAllChildren(code.current)
    outcome.value = isCopied ? strings.copied : strings.copySelected
  }
  const forget = () => {
    outcome.value = ''
  }
  return (
    <div class="code">
      <div class="code-head">
        <span>{language || strings.code}</span>
        <button type="button" onClick={copy} onBlur={forget} onMouseLeave={forget}>
          {outcome.value === strings.copied ? strings.copied : strings.copy}
        </button>
        <span class="hidden" role="status">
          {outcome.value}
        </span>
      </div>
      <pre dir="ltr" tabIndex={0}>
        <code ref={code}>{text}</code>
      </pre>
    </div>
  )
}

/** False where the page may not write it: plain http, a frame without the permission. */
async function writeClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}
