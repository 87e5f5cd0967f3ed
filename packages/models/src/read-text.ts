/** A body as text, up to a limit: what a server sends must not fill the page's memory. One that falls silent is an error. */
import type { Clock } from '@dogear/core'
import { offline } from './failure.ts'
import { patience, watchSilence } from './silence.ts'

export async function readText(response: Response, limit: number, clock: Clock): Promise<string> {
  if (!response.body) return ''
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let isDead = false
  const silence = watchSilence(
    clock,
    () => patience.answer,
    () => {
      isDead = true
      reader.cancel().catch(() => {})
    },
  )
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (isDead) throw offline('It fell silent.')
      silence.broken = true
      text += decoder.decode(value, { stream: !done })
      if (done) return text
      if (text.length > limit) {
        await reader.cancel()
        return text
      }
    }
  } finally {
    silence.end()
  }
}
