/** The page's tools, one of each effect: what they do to the world is in the ledger, whoever hears of it. */
import { DogearError, type ToolOptions } from '@dogear/core'
import type { Fault } from './chaos.ts'
import type { Mortal, World } from './world.ts'

const toolFaults: readonly Fault[] = ['throws', 'throws-after', 'hangs', 'hangs-after', 'slow']
export const timeout = 20_000

/** Calls whose function has been entered on a page that lives, and has neither returned nor thrown. */
export type Underway = Set<string>

export function toolsOf(world: World, page: Mortal, underway: Underway): ToolOptions[] {
  const { time, random, ledger } = world

  async function act(tool: string, args: unknown, context: { callId: string; idempotencyKey: string }) {
    const { callId, idempotencyKey: key } = context
    const reply = (text: string) => {
      ledger.replied({ callId, text })
      return text
    }
    const fault = world.point(page, `${tool} is entered`, toolFaults)
    if (page.isDead()) return never
    underway.add(callId)
    const isDeserted = tool === 'pay' && world.point(page, 'pay is on its way', ['deserted']) === 'deserted'
    if (isDeserted) page.strike('kill-worker')
    // Asked now, its target says "not done" of what is about to happen.
    if (tool === 'mail') world.point(page, 'mail is on its way', ['robbed'])
    try {
      await time.pass(fault === 'slow' || isDeserted ? random.between(1000, 2 * timeout) : world.latency(), page)
      if (fault === 'throws') throw new Error(reply('broken'))
      if (fault === 'hangs') return await never
      if (tool === 'stall') {
        world.point(page, 'stall never answers', ['clock-jump'])
        return await never
      }
      ledger.didEffect({ callId, key, tool, args })
      world.point(page, `${tool} took effect`)
      if (page.isDead()) return never
      await time.pass(world.latency(), page)
      if (fault === 'throws-after') throw new Error(reply('broken afterwards'))
      if (fault === 'hangs-after') return await never
      return reply(receiptOf(callId))
    } finally {
      underway.delete(callId)
    }
  }

  const tool = (name: string, options: Partial<ToolOptions> = {}): ToolOptions => ({
    name,
    timeout,
    func: (args, context) => act(name, args, context),
    ...options,
  })

  return [
    tool('pay'),
    tool('book', { needsApproval: true }),
    tool('scroll', { effect: 'page' }),
    tool('look', { effect: 'read' }),
    tool('stall', { effect: 'read' }),
    tool('note', { effect: 'idempotent' }),
    tool('mail', {
      effect: 'verify',
      async check(key) {
        const fault = world.point(page, 'mail is checked', ['throws'])
        if (page.isDead()) return never
        if (fault) throw new DogearError('network', 'The mail server cannot be asked.')
        await time.pass(world.latency(), page)
        return { done: ledger.effects.some((effect) => effect.key === key), result: receiptOf(key) }
      },
    }),
  ]
}

/** What no other call was told. */
export function receiptOf(id: string): string {
  return `Receipt of ${id}`
}

const never = new Promise<never>(() => {})
