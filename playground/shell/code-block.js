/** A calm block of code: what matters in ink, the rest in grey, and one button that copies all of it. */
import { element } from './element.js'

export function codeBlock({ title, code, essential = () => true, onCopy = () => {} }) {
  const lines = code.split('\n').map((line, index, all) => {
    const text = index < all.length - 1 ? `${line}\n` : line
    return essential(line) ? text : element('span', { className: 'aside' }, text)
  })
  const copy = element('button', { type: 'button' }, 'Copy')
  copy.addEventListener('click', async () => {
    await navigator.clipboard.writeText(code)
    copy.textContent = 'Copied'
    onCopy()
  })
  return element(
    'section',
    { className: 'source' },
    element('header', {}, element('h2', {}, title), copy),
    element('pre', { tabIndex: 0 }, element('code', {}, ...lines)),
  )
}
