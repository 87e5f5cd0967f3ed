/** Where a link of a model's text may lead, and what to say about it. */

/** A longer address carries data out, or hides where it leads. */
const lengthLimit = 4_096

/** The address to link to, or undefined when it must stay text. Relative addresses need the page's own as `base`. */
export function safeUrl(address: string, base?: string): URL | undefined {
  // A backslash is a letter of the address to markdown, and a slash to `new URL`: they must not read it differently.
  const readable = address.replace(invisible, '').replaceAll('\\', '%5C')
  const url = URL.canParse(readable, base) ? new URL(readable, base) : undefined
  return url && allowedSchemes.includes(url.protocol) && url.href.length <= lengthLimit ? url : undefined
}

/** The host a reader must be told, because the link's own text names another, or its address disguises it. */
export function hostToShow(url: URL, text: string): string | undefined {
  const host = hostOf(url)
  const isDisguised = url.username !== '' || url.password !== '' || /(?:^|\.)xn--/.test(host)
  return isDisguised || namesOtherHost(text, host) ? host : undefined
}

export function hostOf(url: URL): string {
  if (url.protocol !== 'mailto:') return url.host
  return url.pathname.split(/@|%40/).at(-1) ?? ''
}

function namesOtherHost(text: string, host: string): boolean {
  const written = text.normalize('NFKC').replace(invisible, '').toLowerCase()
  return [...written.matchAll(hostLike)].some(([found]) => bare(found) !== bare(host))
}

const bare = (host: string) => host.replace(/^www\./, '').replace(/:\d+$/, '')
const allowedSchemes = ['http:', 'https:', 'mailto:']
/** Controls, and what has no width or turns the direction of the text: `java\u200bscript:` must be read as it acts. */
const invisible = /[\p{Cc}\p{Cf}\u2028\u2029\u3164\uffa0]/gu
const hostLike = /[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*\.[\p{L}-]{2,}/gu
