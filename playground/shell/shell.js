/** What every page of the playground has around it: the bar above, its own source, and the way to the next one. */
import { codeBlock } from './code-block.js'
import { element } from './element.js'
import { addressOf, examples } from './examples.js'
import { essentials, ownSource, sourceOf } from './own-source.js'
import { applyTheme, themeSwitch } from './theme-switch.js'

applyTheme()
document.body.prepend(bar())

const here = examples.findIndex((example) => addressOf(example) === location.pathname)
if (here >= 0) {
  document.body.append(foot(here))
  document.querySelector('main').append(...(await sourceBlocks()))
}

function bar() {
  const link = (href, text) => {
    const made = element('a', { href }, text)
    if (location.pathname === href) made.setAttribute('aria-current', 'page')
    return made
  }
  const name = element('a', { className: 'name', href: '/' }, element('span', { className: 'fold' }), 'Dogear')
  return element('nav', { className: 'bar' }, name, link('/', 'Tour'), link('/examples/', 'Examples'), themeSwitch())
}

/** A page may name more files that belong to it: `<html data-files="server.js">`. */
async function sourceBlocks() {
  const files = (document.documentElement.dataset.files ?? '').split(' ').filter(Boolean)
  const others = files.map(async (file) => codeBlock({ title: file, code: await sourceOf(file) }))
  const own = codeBlock({ title: 'This page', code: await ownSource(), essential: essentials() })
  return [...(await Promise.all(others)), own]
}

function foot(index) {
  const link = (example, words, className) =>
    element(
      'a',
      { href: addressOf(example), className },
      element('small', {}, words),
      element('span', {}, example.title),
    )
  const before = examples[index - 1]
  const after = examples[index + 1]
  return element(
    'nav',
    { className: 'foot', ariaLabel: 'Examples' },
    ...(before ? [link(before, 'Before', 'before')] : []),
    ...(after ? [link(after, 'Next', 'after')] : []),
  )
}
