/** Which colours a widget takes: those of the page around it, also when the page changes its mind. */

export type Theme = 'auto' | 'light' | 'dark'

/** A `color-scheme`: `inherit` leaves it to the page's own, `light dark` to the visitor's system. */
export type Scheme = 'light' | 'dark' | 'inherit' | 'light dark'

export function watchTheme(host: Element, theme: Theme, changed: (scheme: Scheme) => void): () => void {
  const tell = () => changed(schemeOf(host, theme))
  const observer = new MutationObserver(tell)
  observer.observe(document.documentElement, { attributeFilter: ['class', 'data-theme', 'style'] })
  tell()
  return () => observer.disconnect()
}

function schemeOf(host: Element, theme: Theme): Scheme {
  if (theme !== 'auto') return theme
  const declared = getComputedStyle(host).colorScheme
  const isDecided = declared.includes('dark') !== declared.includes('light')
  if (isDecided) return 'inherit'
  return schemeOfRoot(document.documentElement) ?? (declared === 'normal' ? 'light dark' : 'inherit')
}

/** How pages without `color-scheme` say it: `<html class="dark">` or `<html data-theme="dark">`. */
function schemeOfRoot({ classList, dataset }: HTMLElement): Scheme | undefined {
  const says = (word: string) => classList.contains(word) || dataset.theme === word
  if (says('dark')) return 'dark'
  if (says('light')) return 'light'
  return undefined
}
