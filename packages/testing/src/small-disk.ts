/** A store with little room, for tests of what happens when there is none left. */
import { DogearError, resultLimit, type Store } from '@dogear/core'

export interface SmallDisk extends Store {
  /** How much fits; set it anew to make room, or to take it away. */
  room: number
  /** How much is taken, in characters of JSON. */
  readonly used: number
}

/** As in browsers, a write is refused by what it adds, whatever it deletes at the same time. */
export function smallDisk(store: Store, room: number): SmallDisk {
  const sizes = new Map<string, number>()
  let limit = room

  function used(): number {
    return [...sizes.values()].reduce((sum, size) => sum + size, 0)
  }

  async function write<T>(key: string, added: number, commit: () => Promise<T>): Promise<T> {
    if (added > 0 && used() + added > limit) throw new DogearError('storage-full', 'This small disk is full.')
    const answer = await commit()
    sizes.set(key, (sizes.get(key) ?? 0) + added)
    return answer
  }

  async function countBallast(sessionId: string): Promise<number> {
    return (await store.sides('ballast', sessionId)).length
  }

  const writes: Partial<Store> = {
    async append(batch) {
      const { sessionId, entries, ballast = 0 } = batch
      const missing = Math.max(0, ballast - (await countBallast(sessionId)))
      const answer = await write(`${sessionId}/journal`, sizeOf(entries) + missing * 2 * resultLimit, () =>
        store.append(batch),
      )
      sizes.set(`${sessionId}/journal`, (sizes.get(`${sessionId}/journal`) ?? 0) - missing * 2 * resultLimit)
      sizes.set(`${sessionId}/ballast`, (await countBallast(sessionId)) * 2 * resultLimit)
      return answer
    },
    async saveSide(kind, sessionId, id, value) {
      const size = value === undefined ? 0 : sizeOf(value)
      await write(`${sessionId}/${kind}/${id}`, size, () => store.saveSide(kind, sessionId, id, value))
      sizes.set(`${sessionId}/${kind}/${id}`, size)
      sizes.set(`${sessionId}/ballast`, (await countBallast(sessionId)) * 2 * resultLimit)
    },
    send: (command) => write(`${command.sessionId}/inbox`, sizeOf(command), () => store.send(command)),
    async delete(sessionId) {
      await store.delete(sessionId)
      for (const key of sizes.keys()) if (key.startsWith(`${sessionId}/`)) sizes.delete(key)
    },
  }

  return new Proxy(store, {
    get(target, name: keyof SmallDisk) {
      if (name === 'room') return limit
      if (name === 'used') return used()
      return writes[name] ?? target[name]
    },
    set(_target, name, value: number) {
      if (name === 'room') limit = value
      return name === 'room'
    },
  }) as SmallDisk // `room` and `used` are answered above, which a Proxy's type cannot say.
}

function sizeOf(value: unknown): number {
  return JSON.stringify(value)?.length ?? 0
}
