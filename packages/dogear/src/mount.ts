/** `mount()`, with sessions behind it: an agent, or just an endpoint, is enough. */
import { mount as mountChat, type ChatHandle, type MountOptions } from '@dogear/widgets'
import { defineElements } from './elements.ts'

export function mount(target?: string | Element | MountOptions, options?: MountOptions): ChatHandle {
  defineElements()
  return mountChat(target, options)
}
