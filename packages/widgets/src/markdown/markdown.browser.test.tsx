import * as fc from 'fast-check'
import { render } from 'preact'
import { act } from 'preact/test-utils'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { userEvent } from 'vitest/browser'
import { markdownEnglish } from './markdown-strings.ts'
import { markdownText } from './markdown-texts.ts'
import markdownCss from './markdown.css?inline'
import { Markdown, type MarkdownProps } from './markdown.tsx'

const places: Element[] = []

afterEach(() => {
  for (const place of places.splice(0)) {
    render(null, place)
    place.remove()
  }
  vi.restoreAllMocks()
})

describe('a streaming answer', () => {
  test('keeps the nodes of finished blocks, also when it ends', () => {
    const { place, show } = mount()
    const text = '# One\n\ntwo *words*\n\n- three\n- four\n\nfive and **six**'
    show({ text: text.slice(0, 40), streaming: true })
    const [heading, paragraph, list] = place.children
    for (let end = 41; end <= text.length; end++) show({ text: text.slice(0, end), streaming: true })
    show({ text })
    expect([...place.children].slice(0, 3)).toEqual([heading, paragraph, list])
    expect([...place.children].slice(0, 3).every((node, index) => node === [heading, paragraph, list][index])).toBe(
      true,
    )
    expect(place.lastElementChild?.textContent).toBe('five and six')
  })

  test('changes nothing in a finished block', async () => {
    const { place, show } = mount()
    show({ text: 'one\n\n[two](https://a.example)\n\n```\ncode\n```\n\nthree', streaming: true })
    const changes: MutationRecord[] = []
    const observer = new MutationObserver((records) => changes.push(...records))
    for (const block of [...place.children].slice(0, 3)) observer.observe(block, { subtree: true, childList: true })
    show({ text: 'one\n\n[two](https://a.example)\n\n```\ncode\n```\n\nthree four', streaming: true })
    show({ text: 'one\n\n[two](https://a.example)\n\n```\ncode\n```\n\nthree four' })
    changes.push(...observer.takeRecords())
    observer.disconnect()
    expect(changes).toEqual([])
  })

  test('ends as the same text shown at once', () => {
    fc.assert(
      fc.property(markdownText, fc.array(fc.nat(150), { maxLength: 6 }), (text, cuts) => {
        const streamed = mount()
        for (const cut of cuts.toSorted((one, other) => one - other)) {
          streamed.show({ text: text.slice(0, cut), streaming: true })
        }
        streamed.show({ text })
        const whole = mount()
        whole.show({ text })
        expect(streamed.place.innerHTML).toBe(whole.place.innerHTML)
      }),
      { numRuns: 300 },
    )
  })

  test('[T15] that is slow to read is read less often', () => {
    const { place, show } = mount()
    const clock = vi.spyOn(performance, 'now')
    clock.mockReturnValueOnce(0).mockReturnValueOnce(100)
    show({ text: 'one', streaming: true })
    clock.mockReturnValue(300)
    show({ text: 'one two', streaming: true })
    expect(place.textContent).toBe('one')
    clock.mockReturnValue(501)
    show({ text: 'one two three', streaming: true })
    expect(place.textContent).toBe('one two three')
  })

  test('[T15] is shown whole when it ends, however slow it was', () => {
    const { place, show } = mount()
    vi.spyOn(performance, 'now').mockReturnValueOnce(0).mockReturnValueOnce(100).mockReturnValue(101)
    show({ text: 'one', streaming: true })
    show({ text: 'one two' })
    expect(place.textContent).toBe('one two')
  })
})

test('an answer in another language says so in each block', () => {
  const { place, show } = mount()
  show({ text: '```\ncode\n```\n\nwords' })
  show({ text: '```\ncode\n```\n\nwords', strings: { ...markdownEnglish, copy: 'Kopieren' } })
  expect(place.querySelector('button')?.textContent).toBe('Kopieren')
})

test('[T18] an answer cannot draw outside its box', () => {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(markdownCss)
  document.adoptedStyleSheets.push(sheet)
  const { place, show } = mount()
  show({
    text: `# a\n\n${'x'.repeat(2_000)}\n\n| ${'y'.repeat(2_000)} |\n|---|\n\n\`\`\`\n${'z'.repeat(2_000)}\n\`\`\``,
  })
  expect(getComputedStyle(place).contain).toBe('content')
  expect(place.scrollWidth).toBe(place.clientWidth)
  document.adoptedStyleSheets.pop()
})

describe('what a visitor does', () => {
  test('following a link asks the page first', async () => {
    const { place, show } = mount()
    const onLink = vi.fn((_: string, event: MouseEvent) => event.preventDefault())
    show({ text: '[a](https://b.example/c)', onLink })
    await userEvent.click(place.querySelector('a')!)
    expect(onLink).toHaveBeenCalledWith('https://b.example/c', expect.any(MouseEvent))
    expect(onLink.mock.calls[0]?.[1].defaultPrevented).toBe(true)
  })

  test('copying code says so, until the pointer leaves', async () => {
    const { place, show } = mount()
    const write = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue()
    show({ text: '```js\nlet a\n```' })
    const button = place.querySelector('button')!
    await userEvent.click(button)
    await vi.waitFor(() => expect(button.textContent).toBe('Copied'))
    expect(write).toHaveBeenCalledWith('let a')
    expect(place.querySelector('[role=status]')?.textContent).toBe('Copied')
    await userEvent.unhover(button)
    await vi.waitFor(() => expect(button.textContent).toBe('Copy'))
  })

  test('where the page may not copy, the code is selected', async () => {
    const { place, show } = mount()
    vi.spyOn(navigator.clipboard, 'writeText').mockRejectedValue(new DOMException('no', 'NotAllowedError'))
    show({ text: '```\nlet a\n```' })
    await userEvent.click(place.querySelector('button')!)
    await vi.waitFor(() => expect(place.querySelector('[role=status]')?.textContent).toContain('Ctrl+C'))
    expect(getSelection()?.toString()).toBe('let a')
  })

  test('[T3] an image is loaded when asked for, and only that one', async () => {
    const { place, show } = mount()
    const pixel = `${location.origin}/favicon.ico`
    show({ text: `![one](${pixel}?1)`, allowImage: () => true })
    expect(place.querySelector('img')).toBeNull()
    await userEvent.click(place.querySelector('button')!)
    await vi.waitFor(() => expect(place.querySelector('img')?.src).toBe(`${pixel}?1`))
    expect(place.querySelector('img')?.referrerPolicy).toBe('no-referrer')
    show({ text: `![one](${pixel}?2)`, allowImage: () => true })
    expect(place.querySelector('img')).toBeNull()
  })
})

function mount() {
  const container = document.createElement('div')
  document.body.append(container)
  places.push(container)
  const show = (props: MarkdownProps) => void act(() => render(<Markdown {...props} />, container))
  show({ text: '' })
  return { place: container.firstElementChild!, show }
}
