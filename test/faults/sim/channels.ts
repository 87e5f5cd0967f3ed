/** The broadcast between tabs: messages are lost, late, doubled, and overtake each other. */
import type { Channel } from '@dogear/core'
import type { Fault } from './chaos.ts'
import { copied } from './copied.ts'
import type { Mortal, World } from './world.ts'

const messageFaults: readonly Fault[] = ['lost', 'slow', 'twice']

export interface Channels {
  open(worker: Mortal, name: string, receive: (message: unknown) => void): Channel
}

interface Receiver {
  readonly worker: Mortal
  readonly name: string
  readonly receive: (message: unknown) => void
}

export function createChannels(world: World): Channels {
  const { time, random } = world
  const receivers = new Set<Receiver>()

  function deliver(other: Receiver, message: unknown): void {
    const copy = copied(message)
    const { type } = message as { type: string }
    const fault = world.point(other.worker, `is broadcast ${type}`, messageFaults)
    if (fault === 'lost') return
    const hear = () => receivers.has(other) && other.receive(copy)
    // Not in order: a message of one tab may overtake another's, and its own.
    time.after(fault === 'slow' ? random.between(100, 10_000) : world.latency(), other.worker, hear)
    if (fault === 'twice') time.after(random.between(0, 1000), other.worker, hear)
  }

  return {
    open(worker, name, receive) {
      const own: Receiver = { worker, name, receive }
      receivers.add(own)
      return {
        post(message) {
          if (worker.isDead()) return
          for (const other of [...receivers]) {
            if (other !== own && other.name === name && !other.worker.isDead()) deliver(other, message)
          }
        },
        close: () => void receivers.delete(own),
      }
    },
  }
}
