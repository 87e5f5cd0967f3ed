import axe from 'axe-core'
import { afterEach, expect, test, vi } from 'vitest'
import { chatInPage, clearPage, drawn, elementInPage } from './testing/in-the-page.ts'
import { scriptedSession, type ScriptedSession } from './testing/scripted-session.ts'
import { reachState } from './testing/reach-state.ts'
import { widgetStates } from './testing/widget-states.ts'

afterEach(clearPage)
vi.spyOn(console, 'error').mockImplementation(() => {})

const states = Object.keys(widgetStates)
for (const theme of ['light', 'dark']) {
  test.each(states)(`axe finds nothing wrong with the state "%s" in ${theme}`, async (state) => {
    const chat = chatInPage(undefined, { theme, mode: state === 'launcher' ? 'popup' : 'inline' })
    await reachState(chat, state)
    for (const details of chat.shadowRoot!.querySelectorAll('details')) details.open = true
    await settled()
    expect(await violations(chat)).toEqual([])
  })

  test.each(['plan', 'approval', 'question'])(`axe finds nothing wrong with dogear-%s in ${theme}`, async (name) => {
    const element = elementInPage<HTMLElement & { session?: ScriptedSession }>(`dogear-${name}`, { theme })
    element.session = scriptedSession(widgetStates[name])
    await settled()
    expect(await violations(element)).toEqual([])
  })
}

/** Past every animation and the half second of Approve, which change colours. */
async function settled(): Promise<void> {
  await drawn()
  await new Promise((resolve) => setTimeout(resolve, 520))
}

async function violations(element: Element): Promise<string[]> {
  // The page around the widget is the test runner's.
  const result = await axe.run(element, { rules: { region: { enabled: false } } })
  return result.violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html} ${node.failureSummary}`))
}
