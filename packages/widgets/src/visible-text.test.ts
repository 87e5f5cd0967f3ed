import { expect, test } from 'vitest'
import { visibleText } from './visible-text.ts'

test('[T5] characters that hide or reorder are shown by their number', () => {
  const hidden = [
    0x202e, 0x2066, 0x200b, 0x2060, 0xfeff, 0x00ad, 0x3164, 0xffa0, 0xfe0f, 0xe0041, 0x2800, 0x7, 0x2028, 0xd800,
  ]
  for (const code of hidden) {
    const number = code.toString(16).toUpperCase().padStart(4, '0')
    expect(visibleText(`a${String.fromCodePoint(code)}b`)).toBe(`a⟨U+${number}⟩b`)
  }
})

test('ordinary text of any script, with its lines and tabs, stays as it is', () => {
  const text = 'Olá,\tmundo\nمرحبا שלום 你好 🙂 naïve – “quotes”'
  expect(visibleText(text)).toBe(text)
})
