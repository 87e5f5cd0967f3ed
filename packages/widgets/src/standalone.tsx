/** A part of the chat by itself, for a shadow root that is there already. */

import type { ComponentType } from 'preact'
import { useMemo } from 'preact/hooks'
import { uiState } from './ui-state.ts'
import { WidgetRoot, type WidgetProps } from './widget-root.tsx'

export function standalone<Props extends WidgetProps>(Content: ComponentType<Props>): ComponentType<Props> {
  return (props) => {
    const agent = props.session?.agent
    const memory = useMemo(() => uiState({ user: agent?.user, agent: agent?.name ?? '' }), [agent])
    if (!agent) return null
    return (
      <WidgetRoot {...props} memory={memory}>
        <Content {...props} />
      </WidgetRoot>
    )
  }
}
