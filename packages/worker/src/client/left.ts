/**
 * Hosts whose page was left in order. A page that crashes has no time to say so, and one whose worker dies stays: that is
 * how they are told apart, by whoever goes on with what they were doing. Kept in localStorage, which can be written at the
 * last moment of a page.
 */

/** `life`: that of the page's host, or nothing while it has nothing to do. Gives those of some lives that were left. */
export function watchLeaving(life: () => string): (lives: readonly string[]) => string[] {
  // Out of sight counts as left: the system ends such a page without a word.
  globalThis.document?.addEventListener('visibilitychange', () => note(life(), document.visibilityState === 'hidden'))
  globalThis.addEventListener?.('pagehide', () => note(life(), true))
  return (lives) => lives.filter((each) => known().includes(each))
}

const key = 'dogear-left'
const most = 20

function note(life: string, isLeft: boolean): void {
  const left = known()
  if (!life || left.includes(life) === isLeft) return
  const others = left.filter((each) => each !== life)
  try {
    localStorage.setItem(key, [...others, ...(isLeft ? [life] : [])].slice(-most).join(' '))
  } catch {
    // Full: this page will seem to have crashed.
  }
}

function known(): string[] {
  try {
    return localStorage.getItem(key)?.split(' ') ?? []
  } catch {
    // A sandboxed frame has none.
    return []
  }
}
