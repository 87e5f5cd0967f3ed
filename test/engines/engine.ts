/** A browser engine, whatever drives it: windows, real clicks and keys, and a script's value. */
import { openFirefox } from './firefox.ts'
import { openWebKit } from './webkit.ts'

export interface Engine {
  /** A tab at this address; tabs share what the origin keeps. */
  open(url: string): Promise<Tab>
  close(): Promise<void>
}

export interface Tab {
  /** What this body of an async function returns, as JSON. */
  evaluate<T>(body: string): Promise<T>
  click(x: number, y: number): Promise<void>
  type(text: string): Promise<void>
  enter(): Promise<void>
  reload(): Promise<void>
  close(): Promise<void>
}

export type EngineName = 'firefox' | 'webkit'

export function openEngine(name: EngineName): Promise<Engine> {
  return name === 'firefox' ? openFirefox() : openWebKit()
}
