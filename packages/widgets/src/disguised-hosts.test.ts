import { expect, test } from 'vitest'
import { disguisedHosts } from './disguised-hosts.ts'

test.each([
  ['a Cyrillic а in an address', 'https://аpple.com/pay', 'xn--pple-43d.com'],
  ['punycode as it is written', 'see https://xn--80ak6aa92e.com now', 'xn--80ak6aa92e.com'],
  ['a name before an @', 'https://bank.example@evil.example/', 'evil.example'],
  ['a number for an address', 'http://2130706433/', '127.0.0.1'],
  ['wide letters', 'https://ｅｖｉｌ.example', 'evil.example'],
  ['a mail address', 'ana@exаmple.com', 'xn--exmple-4nf.com'],
  ['a bare name of two alphabets', 'gооgle.com', 'xn--ggle-55da.com'],
])('[T5] %s is flagged with the host it really is', (_, text, host) => {
  expect(disguisedHosts(text)).toEqual([host])
})

test.each(['https://example.com:8443/a?b=c#d', 'ana@example.com', 'résumé.pdf', 'Olá, mundo. Até já', 'a // b', '://'])(
  '[T5] %s is not flagged',
  (text) => {
    expect(disguisedHosts(text)).toEqual([])
  },
)
