/** An address written as it is, which is its own text. */

/** The address a word of running text begins with, without the punctuation of its sentence; or undefined. */
export function addressIn(word: string): string | undefined {
  if (!/^(?:https?:|www\.)/i.test(word)) return word
  const [kept = ''] = /^.*[^?!.,:*_~'")]/s.exec(word.replace(/&[a-z\d]+;$/i, '')) ?? []
  // A bracket belongs to the address that opened it.
  const closed = kept + ')'.repeat(Math.max(0, kept.split('(').length - kept.split(')').length))
  return hasHost.test(kept) ? (word.startsWith(closed) ? closed : kept) : undefined
}

/** Where it leads: `www.` and mail addresses are written without a scheme. */
export function hrefOf(address: string): string {
  const scheme = /^www\./i.test(address) ? 'http://' : address.includes(':') ? '' : 'mailto:'
  return scheme + address
}

/** Two names or more, the last two without `_`. */
const hasHost = /^(?:https?:\/\/)?(?:[\p{L}\p{N}_-]+\.)*[\p{L}\p{N}-]+\.[\p{L}\p{N}-]+(?![^/?#:])/iu
