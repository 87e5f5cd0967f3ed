/** A session worth keeping as a version left it: how it came to be, and what it must come to when a later version goes on. */
import type { SmartAgentOptions } from '@dogear/core'
import { call, scriptedModel, type Script } from '@dogear/testing'
import type { Session } from '@dogear/worker'
import type { Device, Tab } from '../device.ts'

export interface Story {
  /** The agent, answering from this script. */
  agent(script: Script): SmartAgentOptions
  readonly script: Script
  /** Leaves the session as it is to be kept; answers with the id of another that is to be kept in its place. */
  live(session: Session, tab: Tab, here: Device): Promise<string | void>
  /** The first words that are shown of it then. */
  readonly begins: string
  /** What the model still has to say. */
  readonly rest: Script
  /** What a person does first; without it the session goes on by itself. */
  answer?(session: Session): unknown
  /** The last words, once it has come to rest. */
  readonly ends: string
}

export const plain = (script: Script): SmartAgentOptions => ({ model: scriptedModel(script, { resumable: true }) })

export const book = {
  name: 'book_hotel',
  label: 'Book a room',
  description: 'Books a room',
  parameters: {
    type: 'object',
    properties: { hotel: { type: 'string' }, nights: { type: 'integer', minimum: 1 } },
    required: ['hotel', 'nights'],
  },
  func: ({ hotel, nights }: { hotel: string; nights: number }) => `${nights} nights at ${hotel}`,
} as const

export const booking = call('book_hotel', { hotel: 'Casa do Rio', nights: 3 })
