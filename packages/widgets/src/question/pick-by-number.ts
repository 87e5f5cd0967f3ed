/** Keys 1 to 9 choose a row, but not while somebody writes. */

import type { TargetedKeyboardEvent } from 'preact'

export function pickByNumber({ key, target, currentTarget }: TargetedKeyboardEvent<HTMLElement>): void {
  const isWriting = target instanceof HTMLElement && target.matches('textarea, select, input:not([type])')
  if (isWriting || !/^[1-9]$/.test(key)) return
  const row = currentTarget.querySelectorAll<HTMLInputElement>('.option > [name]')[Number(key) - 1]
  row?.focus()
  row?.click()
}
