/** `setInterval` as a page of the simulated world has it: it beats for the page that set it, and stops with it. */
import { bystander } from './time.ts'
import type { World } from './world.ts'

/** Returns what gives the process its own timers back. */
export function pageTimers({ time }: World): () => void {
  const real = { setInterval: globalThis.setInterval, clearInterval: globalThis.clearInterval }
  const nobody = bystander('nobody')
  const cancels = new Map<number, () => void>()
  let lastId = 0

  const setVirtual = (call: () => void, ms: number): number => {
    const id = (lastId += 1)
    const actor = time.current() ?? nobody
    const beat = () => {
      call()
      if (cancels.has(id)) cancels.set(id, time.after(ms, actor, beat))
    }
    cancels.set(id, time.after(ms, actor, beat))
    return id
  }
  const clearVirtual = (id: number): void => {
    cancels.get(id)?.()
    cancels.delete(id)
  }
  Object.assign(globalThis, { setInterval: setVirtual, clearInterval: clearVirtual })
  return () => void Object.assign(globalThis, real)
}
