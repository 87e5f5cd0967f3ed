/** Sources as one would write them. */

/** This page without the playground's own lines, and without the words that explain it. */
export async function ownSource() {
  const response = await fetch(location.pathname)
  const lines = (await response.text()).split('\n')
  return lines
    .filter((line) => !/(src|href)="\/(shell|@vite)\//.test(line))
    .join('\n')
    .replace(/<head>\s*\n/, '<head>\n')
    .replace(/ data-files="[^"]*"/, '')
    .replace(/^ *<(p class="lede"|ul)>[^]*?<\/(p|ul)>\n/gm, '')
    .trim()
}

/** Tells the lines that make the agent from those any page has. */
export function essentials() {
  let isInside = false
  return (line) => {
    const begins = /<(script|style|dogear-|template)/.test(line)
    const isEssential = isInside || begins || /id="agent"/.test(line)
    if (begins) isInside = true
    if (/<\/(script|style|template|dogear-[a-z]+)>/.test(line)) isInside = false
    return isEssential
  }
}

/** Another file, as it lies on disk: the development server gives it as a module that holds its text. */
export async function sourceOf(file) {
  const text = await (await fetch(`${file}?raw`)).text()
  const [, literal] = /^export default (".*")/.exec(text) ?? []
  return (literal ? JSON.parse(literal) : text).trim()
}
