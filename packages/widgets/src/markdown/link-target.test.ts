import { describe, expect, test } from 'vitest'
import { hostOf, hostToShow, safeUrl } from './link-target.ts'

describe('addresses a link may have', () => {
  test.each([
    ['https://a.example/x?y#z', 'https://a.example/x?y#z'],
    ['HTTP://A.EXAMPLE', 'http://a.example/'],
    ['mailto:a@b.example', 'mailto:a@b.example'],
    [' \thttps://a.example\n', 'https://a.example/'],
    ['https://a.example/a\\b', 'https://a.example/a%5Cb'],
  ])('[T2] %j leads to %j', (address, href) => {
    expect(safeUrl(address)?.href).toBe(href)
  })

  test('[T2] a relative address leads to the page it is on', () => {
    expect(safeUrl('/pricing', 'https://shop.example/a/')?.href).toBe('https://shop.example/pricing')
    expect(safeUrl('/pricing')).toBeUndefined()
    expect(safeUrl('x', 'file:///home/')).toBeUndefined()
  })

  test.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'java\nscript:alert(1)',
    'java\u200bscript:alert(1)',
    '\u0001javascript:alert(1)',
    '\ufeffjavascript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'blob:https://a.example/1',
    'file:///etc/passwd',
    'ftp://a.example',
    'about:blank',
    'view-source:https://a.example',
    'intent://x',
    `https://a.example/?${'x'.repeat(5000)}`,
    'https://',
    '',
  ])('[T2] %j stays text', (address) => {
    expect(safeUrl(address)).toBeUndefined()
  })
})

describe('the host beside a link', () => {
  test.each([
    ['https://evil.example/', 'https://bank.example'],
    ['https://evil.example/', 'Go to bank.example now'],
    ['https://evil.example/', 'ｂａｎｋ．example'],
    ['https://evil.example/', 'bank\u200b.example'],
    ['https://bank.example@evil.example/', 'sign in'],
    ['https://bank.example.evil.example/', 'bank.example'],
    ['mailto:a@evil.example', 'help@bank.example'],
  ])('[T2] for %s the text %j does not hide where it leads', (address, text) => {
    expect(hostToShow(new URL(address), text)).toMatch(/evil\.example$/)
  })

  test('[T2] a host in another script is shown as it is looked up', () => {
    expect(hostToShow(new URL('https://аpple.com'), 'apple')).toMatch(/^xn--/)
  })

  test.each([
    ['https://bank.example/', 'your bank'],
    ['https://www.bank.example/', 'bank.example'],
    ['https://bank.example/a', 'https://www.bank.example/a'],
    ['https://bank.example:8080/', 'bank.example'],
    ['https://bank.example/', 'version 2.1 of it, e.g. this'],
    ['mailto:help@bank.example', 'help@bank.example'],
  ])('for %s the text %j needs none', (address, text) => {
    expect(hostToShow(new URL(address), text)).toBeUndefined()
  })

  test('of a mail address it is the part after the last @', () => {
    expect(hostOf(new URL('mailto:a%40b.example@c.example'))).toBe('c.example')
  })
})
