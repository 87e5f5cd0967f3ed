/** Tools that note what they ran with, and sessions that have them. */
import type { SmartAgentOptions, ToolOptions } from '@dogear/core'
import { scriptedModel, type Script } from '@dogear/testing'
import type { Session } from '@dogear/worker'
import { device } from './device.ts'

export const ran: string[] = []

export function tool(name: string, options: Partial<ToolOptions> = {}): ToolOptions {
  return { name, func: (args) => (ran.push(`${name} ${JSON.stringify(args)}`), `${name} done`), ...options }
}

export function sessionOf(script: Script, options: SmartAgentOptions = {}, here = device()): Promise<Session> {
  ran.length = 0
  return here.tab({ model: scriptedModel(script), ...options }).open()
}
