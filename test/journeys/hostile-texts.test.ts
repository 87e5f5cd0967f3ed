/** Hostile texts in the built chat, in every place where a model's or a tool's words are shown: nothing runs, nothing is fetched. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { call, say, type Answer } from '@dogear/testing'
import { describe, expect, test } from 'vitest'
import { layWires } from '../corpora/lay-wires.ts'
import { useBrowser } from './support/browser.ts'
import { chatOf } from './support/chat.ts'
import { pageWith, startScriptedSite } from './support/scripted-site.ts'

const browser = useBrowser()
const corpora = process.env['DOGEAR_CORPORA']
const texts = corpora ? hostileTexts(corpora) : []
/** So many texts at once, in every place. */
const atOnce = 120
const rounds = Array.from({ length: Math.ceil(texts.length / atOnce) }, (_, round) =>
  texts.slice(round * atOnce, (round + 1) * atOnce),
)

test(`hostile texts in the chat: ${corpora ? 'found' : 'not shown, because DOGEAR_CORPORA names no folder'}`, () => {
  expect(texts.length > 700).toBe(Boolean(corpora))
})

describe.each(corpora ? ['a hostile text'] : [])('%s', () => {
  test('[T1] [T2] [T3] does nothing as answer, card, plan, approval, question, form or title', async () => {
    const { run, alarms } = await visit(rounds.map(everyPlace))
    const seen: Record<string, number> = {}
    for (const round of rounds.keys()) {
      const { problems, counts } = (await run(`showRound(${JSON.stringify(rounds[round])})`)) as Shown
      expect(problems.slice(0, 20)).toEqual([])
      for (const [place, count] of Object.entries(counts)) seen[place] = (seen[place] ?? 0) + count
    }
    expect(await alarms()).toEqual([])
    const missed = Object.entries(leastShown).filter(([place, least]) => !(seen[place]! >= least))
    expect(missed.map(([place, least]) => `${place}: ${seen[place]} of ${least}`)).toEqual([])
  })

  test.each([
    ['a dialog', 'alert(1)', 'alert'],
    ['an image', 'void (new Image().src = "https://evil.test/beacon")', 'request: https://evil.test/beacon'],
  ])('[T1] [T3] would be noticed: %s trips a wire', async (_, script, alarm) => {
    const { run, alarms } = await visit([])
    await run(script)
    await expect.poll(alarms).toContain(alarm)
  })
})

interface Shown {
  readonly problems: string[]
  readonly counts: Record<string, number>
}

/** How many rows of each kind have been on the screen, at the least, with a hostile text in each. */
const leastShown = {
  'article[data-role=agent] p': texts.length / 2,
  '.card dd': texts.length,
  '.card .result': rounds.length,
  '.steps li': (rounds.length - 1) * 20,
  '.request dd': rounds.length * 40,
  '.request .option': (rounds.length - 1) * 12,
  '.request .field': rounds.length,
  '.inbox li': rounds.length - 1,
}

/** One answer of a model: these texts as its words, its plan, its arguments and its questions. */
function everyPlace(given: readonly string[]): Answer {
  const todoList = given
    .slice(0, 20)
    .map((step, index) => ({ id: index + 1, step, evidence: step.slice(0, 300), owner: step }))
  const options = (from: number) =>
    given.slice(from, from + 12).map((text) => ({ label: text, description: text, preview: text }))
  const questions = [0, 1, 2, 3].map((n) => ({
    question: given[n],
    header: given[n]!.slice(0, 40),
    options: options(n * 12),
  }))
  const values = Object.fromEntries(given.map((text, index) => [`${index} ${text}`, text]))
  return [
    say(given.join('\n\n')),
    call('manage_todo_list', { operation: 'write', todoList }),
    call('look', { values }),
    call('pay', { values, to: given.join('\n') }),
    call('ask_user_question', { questions }),
    call('ask_back', { values: given }),
  ]
}

const page = pageWith(
  `
  const agent = Dogear.createSmartAgent({
    name: 'clerk',
    endpoint: '/api/agent',
    useTodoList: true,
    humanInTheLoop: { askUser: true },
    tools: [
      { name: 'look', effect: 'read', func: ({ values }) => (Object.keys(values).length % 2 ? values : Object.values(values).join('\\n')) },
      { name: 'pay', needsApproval: true, func: () => 'Paid.' },
      {
        name: 'ask_back',
        func: ({ values }, ctx) => ctx.elicit({
          message: values.join('\\n'),
          requestedSchema: {
            type: 'object',
            properties: { answer: { type: 'string', title: values[0], description: values[1], enum: values.slice(2, 8), enumNames: values.slice(8, 14) } },
          },
        }),
      },
    ],
  })
  const element = document.createElement('dogear-chat')
  element.agent = agent
  document.querySelector('#agent').append(element)

  const frames = async (count) => { while (count--) await new Promise(requestAnimationFrame) }
  const forbidden = /^(script|iframe|frame|img|image|object|embed|link|base|meta|video|audio|source|math|foreignobject|animate|set|use|template|portal)$/i

  function problemsIn(root) {
    return [...root.querySelectorAll('*')].flatMap((each) => [
      ...(forbidden.test(each.localName) ? ['<' + each.localName + '>'] : []),
      ...[...each.attributes].flatMap(({ name, value }) =>
        /^on|^srcdoc$|^formaction$|^src$|:href$/i.test(name) || (name === 'href' && !/^(https?:\\/\\/|mailto:)/.test(value))
          ? [name + '="' + value + '"'] : []),
    ])
  }

  async function showRound(texts) {
    const session = await agent.open('new')
    element.session = session.id
    await element.ready
    const problems = []
    const counts = {}
    const look = async () => {
      await frames(2)
      const root = element.shadowRoot
      for (const folded of root.querySelectorAll('details:not([open]) > summary')) folded.click()
      root.querySelector('.strip[aria-expanded=false]')?.click()
      root.querySelector('header .quiet[aria-expanded=false]')?.click()
      root.querySelector('.option input')?.click()
      await frames(3)
      problems.push(...problemsIn(root))
      for (const place of ${JSON.stringify(Object.keys(leastShown))}) {
        counts[place] = Math.max(counts[place] ?? 0, root.querySelectorAll(place).length)
      }
    }
    await session.send(texts[0])
    await session.rename(('A trip ' + texts.slice(0, 3).join(' ')).slice(0, 200))
    while (session.requests.value.length > 1) {
      const [{ id, kind }] = session.requests.value
      await look()
      const { refused } = await session.resolve(id, kind === 'question' ? { type: 'cancel' } : { type: 'reject', comment: texts[1] })
      if (refused) throw new Error(refused)
    }
    // The last one stays open: the next session's header tells of this one, by its title.
    await look()
    return { problems, counts }
  }
`,
)

async function visit(script: readonly Answer[]) {
  const site = await startScriptedSite({ pages: { '/': page }, script })
  const visitor = await browser.newVisitor()
  const seen: string[] = []
  await visitor.context.addInitScript(layWires)
  await visitor.context.route(
    (url) => url.origin !== site.url,
    (route) => (seen.push(`request: ${route.request().url()}`), route.abort()),
  )
  const tab = await visitor.open(site.url)
  await chatOf(tab).is('Ready')
  tab.on('popup', () => seen.push('popup'))
  tab.on('dialog', (dialog) => (seen.push(`dialog: ${dialog.message()}`), void dialog.dismiss()))
  tab.on('framenavigated', (frame) => seen.push(`navigated: ${frame.url()}`))
  const tools = await visitor.context.newCDPSession(tab)
  // Not tab.evaluate, which evaluates text in the page and would trip the wire for that.
  const run = async (expression: string) => {
    const { result, exceptionDetails } = await tools.send('Runtime.evaluate', {
      expression,
      returnByValue: true,
      awaitPromise: true,
    })
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text)
    return result.value as unknown
  }
  const alarms = async () => [...seen, ...tab.complaints, ...((await run('traces')) as string[])]
  return { run, alarms }
}

/** About every seventh payload, and every text made to get past sanitizers, by its paragraphs. */
function hostileTexts(folder: string): string[] {
  const payloads = readFileSync(join(folder, 'xss-payloads.txt'), 'utf8').split('\n').filter(Boolean)
  const bypasses = readdirSync(join(folder, 'markdown-bypass')).flatMap((name) =>
    readFileSync(join(folder, 'markdown-bypass', name), 'utf8')
      .split(/\n{2,}/)
      .filter(Boolean)
      .slice(0, 2),
  )
  return [...new Set([...payloads.filter((_, index) => index % 7 === 0), ...bypasses])]
}
