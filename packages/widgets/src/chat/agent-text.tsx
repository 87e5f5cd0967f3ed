/** An answer's words, with a mark where they were picked up again. */

import { useWidget } from '../context.ts'
import { Markdown } from '../markdown/markdown.tsx'
import { ResumedMark } from './resumed-mark.tsx'

interface AgentTextProps {
  readonly text: string
  readonly isStreaming: boolean
  /** Offsets into the text where it went on after a reload, a crash or a lost connection. */
  readonly resumedAt?: readonly number[]
}

export function AgentText({ text, isStreaming, resumedAt }: AgentTextProps) {
  const { strings, emit } = useWidget()
  return (
    <Markdown
      text={text}
      streaming={isStreaming}
      strings={strings.markdown}
      marks={resumedAt}
      renderMark={() => <ResumedMark />}
      onLink={(href, event) => {
        if (!emit('link', { href })) event.preventDefault()
      }}
    />
  )
}
