/** What the agent says: streaming or complete, the same element, so that nothing jumps when it is done. */

import { signal } from '@preact/signals'
import { textOf, type Message, type Partial as PartialAnswer } from '@dogear/core'
import { useWidget } from '../context.ts'
import { useFramed } from '../use-framed.ts'
import { AgentText } from './agent-text.tsx'
import { Reasoning } from './reasoning.tsx'

export function AgentMessage({ message }: { message?: Message }) {
  const { session, strings } = useWidget()
  const partial = useFramed(message ? nothing : session.partial)
  const { text, reasoning, resumedAt } = message ? wordsOf(message) : wordsOfPartial(partial)
  const cut = message && cutWords[message.meta.status]

  return (
    <article class="agent" part="message" data-role="agent" data-state={message?.meta.status ?? 'streaming'}>
      {reasoning && <Reasoning text={reasoning} isOver={!!message || text !== ''} />}
      {text && <AgentText text={text} isStreaming={!message || !!cut} resumedAt={resumedAt} />}
      {cut && <p class="meta cut">{strings[cut]}</p>}
    </article>
  )
}

const nothing = signal<PartialAnswer | null>(null)

const cutWords: { readonly [status in Message['meta']['status']]?: 'partial' | 'stopped' | 'lost' } = {
  lost: 'lost',
  partial: 'partial',
  stopped: 'stopped',
}

interface Words {
  readonly text: string
  readonly reasoning: string
  readonly resumedAt?: readonly number[]
}

function wordsOf(message: Message): Words {
  const { reasoning = [], resumedAt } = message.meta
  return { text: textOf(message), reasoning: reasoning.join('\n\n'), resumedAt }
}

function wordsOfPartial(partial: PartialAnswer | null): Words {
  if (!partial) return { text: '', reasoning: '' }
  return { text: partial.text + partial.refusal, reasoning: partial.reasoning, resumedAt: partial.resumedAt }
}
