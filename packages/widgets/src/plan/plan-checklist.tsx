/** The plan by itself, open, wherever the page wants it. */

import { ShadowHost } from '../shadow-host.tsx'
import { standalone } from '../standalone.tsx'
import type { WidgetProps } from '../widget-root.tsx'
import { PlanStrip } from './plan-strip.tsx'

/** The checklist for a Preact tree; `dogear-plan` is the same as an element. */
export function PlanChecklist(props: WidgetProps) {
  return <ShadowHost view={<PlanView {...props} />} />
}

export const PlanView = standalone(() => <PlanStrip isOpen />)
