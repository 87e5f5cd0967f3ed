/** Defines the elements, once, whoever asks first. */

import { ApprovalView } from '../approval/approval-dialog.tsx'
import { setConnect, type Connect } from '../connect.ts'
import { PlanView } from '../plan/plan-checklist.tsx'
import { QuestionView } from '../question/question-picker.tsx'
import { ChatElement } from './chat-element.ts'
import { sessionElement } from './session-element.ts'

export interface DefineOptions {
  /** Opens a session for an element that names an endpoint instead of an agent. */
  connect?: Connect
}

export function defineElements({ connect }: DefineOptions = {}): void {
  setConnect(connect)
  if (!globalThis.customElements || customElements.get('dogear-chat')) return
  customElements.define('dogear-chat', ChatElement)
  customElements.define('dogear-plan', sessionElement(PlanView))
  customElements.define('dogear-approval', sessionElement(ApprovalView))
  customElements.define('dogear-question', sessionElement(QuestionView))
}
