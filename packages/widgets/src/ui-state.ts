/** What a widget remembers across navigations: open or closed, draft, scroll, half-written answers. */

import { signal } from '@preact/signals'

export interface UiState {
  get<T>(key: string): T | undefined
  /** Keeps a value; `undefined` forgets it. */
  set(key: string, value: unknown): void
}

export function uiState({ user = '', agent }: { user?: string; agent: string }): UiState {
  const scope = `${userPrefix(user)}${encodeURIComponent(agent)}|`
  return {
    get(key) {
      const text = storages()
        .map((storage) => storage.getItem(scope + key))
        .find((kept) => kept !== null)
      return text ? JSON.parse(text) : undefined
    },
    set(key, value) {
      for (const storage of storages()) {
        try {
          if (value === undefined) storage.removeItem(scope + key)
          else storage.setItem(scope + key, JSON.stringify(value))
        } catch {
          // Full: the others still keep it.
        }
      }
    },
  }
}

/** How often something was forgotten: what is on the screen from before must go too. */
export const forgotten = signal(0)

/** Forgets all that the widgets remember of a user, for a logout. */
export function forgetUser(user = ''): void {
  for (const storage of storages()) {
    for (const key of Object.keys(storage)) {
      if (key.startsWith(userPrefix(user))) storage.removeItem(key)
    }
  }
  forgotten.value += 1
}

/** Begins every key that is kept of a user. Encoded, so that no user's name can be the beginning of another's. */
export function userPrefix(user = ''): string {
  return `dogear|${encodeURIComponent(user)}|`
}

type TextStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>

/** The tab's own first: a new tab begins where the last one was, and then goes its own way. */
function storages(): TextStorage[] {
  const open: TextStorage[] = []
  for (const name of ['sessionStorage', 'localStorage'] as const) {
    try {
      // The mere getter throws in a sandboxed frame, or with all site data blocked.
      if (globalThis[name]) open.push(globalThis[name])
    } catch {
      continue
    }
  }
  return open.length > 0 ? open : [memory]
}

const memory: TextStorage & Record<string, unknown> = Object.create({
  getItem: (key: string) => memory[key] ?? null,
  setItem: (key: string, text: string) => (memory[key] = text),
  removeItem: (key: string) => delete memory[key],
})
