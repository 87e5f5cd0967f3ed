/** A part of the chat by itself: for a Preact tree of the page's own, and for an element. */

import type { ComponentType } from 'preact'
import { useMemo } from 'preact/hooks'
import { ShadowHost } from './shadow-host.tsx'
import { uiState } from './ui-state.ts'
import { WidgetRoot, type WidgetProps } from './widget-root.tsx'

export interface Standalone {
  /** In a shadow root of its own. */
  readonly Widget: ComponentType<WidgetProps>
  /** For a shadow root that is there already. */
  readonly View: ComponentType<WidgetProps>
}

export function standalone(Content: ComponentType): Standalone {
  const View = (props: WidgetProps) => {
    const agent = props.session?.agent
    const memory = useMemo(() => uiState({ user: agent?.user, agent: agent?.name ?? '' }), [agent])
    if (!agent) return null
    return (
      <WidgetRoot {...props} memory={memory}>
        <Content />
      </WidgetRoot>
    )
  }
  return { View, Widget: (props) => <ShadowHost view={<View {...props} />} /> }
}
