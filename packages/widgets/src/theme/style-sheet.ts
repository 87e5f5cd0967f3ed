/** The one style sheet all widgets share, made when the first of them is shown. */

import markdown from '../markdown/markdown.css?inline'
import base from './base.css?inline'
import chat from './chat.css?inline'
import messages from './messages.css?inline'
import requests from './requests.css?inline'

let sheet: CSSStyleSheet | undefined

export function styleSheet(): CSSStyleSheet {
  if (!sheet) {
    sheet = new CSSStyleSheet()
    sheet.replaceSync(base + chat + messages + requests + markdown)
  }
  return sheet
}
