/** Light, dark, or as the system says: kept for the next page. */
import { element } from './element.js'

const key = 'playground-theme'
const names = { '': 'as your system', light: 'light', dark: 'dark' }
const order = Object.keys(names)

export function applyTheme(theme = localStorage.getItem(key) ?? '') {
  document.documentElement.dataset.theme = theme
  localStorage.setItem(key, theme)
}

export function themeSwitch() {
  const button = element('button', { type: 'button' })
  const show = () => {
    const name = names[document.documentElement.dataset.theme] ?? names['']
    button.ariaLabel = button.title = `Colours: ${name}`
  }
  button.addEventListener('click', () => {
    const next = order[(order.indexOf(document.documentElement.dataset.theme) + 1) % order.length]
    applyTheme(next)
    show()
  })
  show()
  return button
}
