import { afterEach, expect, test } from 'vitest'

afterEach(() => document.body.replaceChildren())

interface Told {
  readonly canApprove: boolean
  readonly words: string
}

/** What a page in a frame of this one tells, in the two seconds in which it could be looked through. */
async function framed(origin: string, search = ''): Promise<Told> {
  const frame = document.createElement('iframe')
  frame.style.cssText = 'width:400px;height:600px'
  frame.src = `${origin}${new URL('../testing/framed.html', import.meta.url).pathname}?${search}`
  let told: Told | undefined
  const heard = ({ source, data }: MessageEvent) => {
    if (source === frame.contentWindow) told = data as Told
  }
  addEventListener('message', heard)
  document.body.append(frame)
  const begin = performance.now()
  while (!told?.canApprove && performance.now() - begin < (told ? 4_000 : 15_000)) {
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  removeEventListener('message', heard)
  if (!told) throw new Error(`The frame of ${frame.src} told nothing.`)
  return told
}

/** Another origin, the same server: every browser takes it for this machine. */
const another = location.origin.replace(/\/\/[^:/]+/, '//another.localhost')
const why =
  'Another site shows this page inside its own, so nothing can be approved here. Open this page in its own tab.'

test('[T7] in a frame of another origin nothing can be approved, and it is said why', async () => {
  expect(await framed(another)).toMatchObject({ canApprove: false, words: expect.stringContaining(why) })
})

test('[T7] in a frame of another origin it can be approved where the page allows it', async () => {
  const { canApprove, words } = await framed(another, 'framed=allow')
  expect(canApprove).toBe(true)
  expect(words).not.toContain(why)
})

test('[T7] in a frame of its own origin it can be approved', async () => {
  const { canApprove, words } = await framed(location.origin)
  expect(canApprove).toBe(true)
  expect(words).not.toContain(why)
})
