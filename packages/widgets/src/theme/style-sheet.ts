/** The one style sheet all widgets share, made when the first of them is shown. */

import theme from './theme.css?inline'

let sheet: CSSStyleSheet | undefined

export function styleSheet(): CSSStyleSheet {
  if (!sheet) {
    sheet = new CSSStyleSheet()
    sheet.replaceSync(theme)
  }
  return sheet
}
