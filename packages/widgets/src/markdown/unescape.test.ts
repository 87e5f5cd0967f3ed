import { expect, test } from 'vitest'
import { unescape } from './unescape.ts'

test.each([
  ['a &amp; b', 'a & b'],
  ['&amp;lt;', '&lt;'],
  ['&nbsp;&eacute;&yuml;&szlig;&times;', '\u00a0éÿß×'],
  ['&hellip;&mdash;&rarr;', '…—→'],
  ['&#74;&#x6A;&#X6a;', 'Jjj'],
  ['&#0;&#xd800;&#x110000;', '\ufffd\ufffd\ufffd'],
  ['&unknown; &amp &', '&unknown; &amp &'],
  ['&__proto__; &constructor;', '&__proto__; &constructor;'],
])('%j decodes to %j', (text, decoded) => {
  expect(unescape(text)).toBe(decoded)
})
