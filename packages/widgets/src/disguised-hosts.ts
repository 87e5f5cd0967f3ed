/** Hosts in a text that are not what they seem: look-alike letters, punycode, a name before an `@`, a number for an address. */

export function disguisedHosts(text: string): string[] {
  return [...text.matchAll(host)]
    .map(([written, bare]) => {
      // As the browser would go there.
      const real = URL.canParse(`http://${written}`) ? new URL(`http://${written}`).hostname : ''
      const isPlain = !/(?:^|\.)xn--/.test(real) && real === written.replace(/:\d*$/, '').toLowerCase()
      // A file may have a name of any letters; only one that mixes alphabets passes for a host.
      return isPlain || (bare && !/xn--|[a-z].*[\p{sc=Cyrl}\p{sc=Grek}]|[\p{sc=Cyrl}\p{sc=Grek}].*[a-z]/iu.test(bare))
        ? ''
        : real
    })
    .filter(Boolean)
}

/** What stands behind `://`, behind the `@` of a mail address, or is all there is. */
const host = /(?<=:\/\/)[^\s/?#\\]+|(?<=^[^\s@]+@)[^\s@/]+$|^([^\s/@:]+\.[^\s/@:.]{2,})$/gu
