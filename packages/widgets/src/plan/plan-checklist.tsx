/** The plan by itself, open, wherever the page wants it. */

import { standalone } from '../standalone.tsx'
import { PlanStrip } from './plan-strip.tsx'

/** The checklist for a Preact tree; `dogear-plan` is the same as an element. */
export const { Widget: PlanChecklist, View: PlanView } = standalone(() => <PlanStrip isOpen />)
