/** The list of steps, with a fold for each that has been done; kept for the next visit. */
import { element } from '../shell/element.js'

const key = 'playground-tour'

export function createSteps(list, steps) {
  const isDone = new Set(JSON.parse(localStorage.getItem(key) ?? '[]'))
  const items = new Map(steps.map((step, index) => [step.id, itemOf(step, index + 1)]))
  list.replaceChildren(...items.values())
  for (const id of isDone) show(id)

  function show(id) {
    const item = items.get(id)
    if (item) item.dataset.state = 'done'
    item?.querySelector('.state').replaceChildren('Done')
  }

  return {
    done(id) {
      isDone.add(id)
      localStorage.setItem(key, JSON.stringify([...isDone]))
      show(id)
    },
  }
}

function itemOf({ title, words, controls }, number) {
  const heading = element('h2', {}, title, ' ', element('span', { className: 'state' }))
  const page = element('span', { className: 'fold', ariaHidden: 'true' }, element('b', {}, number))
  const body = element(
    'div',
    {},
    heading,
    element('p', {}, words),
    element('div', { className: 'controls' }, ...controls),
  )
  return element('li', {}, page, body)
}
