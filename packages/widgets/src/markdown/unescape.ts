/** Text without its backslashes and character references, decoded without an HTML parser; an unknown name stays. */

export function unescape(text: string): string {
  return text.replace(/\\([!-/:-@[-`{-~])|&(?:#(\d{1,7}|x[\da-f]{1,6})|([a-z]+\d*));/gi, decode)
}

function decode(whole: string, escaped?: string, number?: string, name = ''): string {
  if (escaped) return escaped
  if (number) return characterOf(Number(`0${number}`))
  // `eacute`, `Ouml`: a letter and what stands on it.
  const accent = characters.get(`_${name.slice(1)}`)
  return characters.get(name) ?? (accent ? (name.charAt(0) + accent).normalize() : whole)
}

function characterOf(code: number): string {
  const isCharacter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
  return isCharacter ? String.fromCodePoint(code) : '\ufffd'
}

const characters = new Map(
  Array.from(
    (
      'amp&lt<gt>quot"apos\'nbsp\u00a0copy©reg®trade™deg°plusmn±times×divide÷middot·bull•hellip…mdash—ndash–lsquo‘rsquo’' +
      'ldquo“rdquo”laquo«raquo»euro€pound£larr←rarr→le≤ge≥ne≠infin∞frac12½szligß' +
      '_grave\u0300_acute\u0301_circ\u0302_tilde\u0303_uml\u0308_ring\u030a_cedil\u0327'
    ).matchAll(/(\w+)(\W)/g),
    ([, name = '', character = '']) => [name, character],
  ),
)
