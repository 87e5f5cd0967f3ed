/** A sink: where a trace goes. */
import type { Clock } from '../ports/clock.ts'
import type { TraceEvent, TraceSession } from './trace-session.ts'

/** Made by `customSink`, `httpSink`, `cognipeerSink`, `fileSink` or `otlpSink`. */
export interface TraceSinkConfig {
  readonly type: 'custom' | 'http' | 'cognipeer' | 'file' | 'otlp'
  /** Throws where the configuration cannot work. */
  open(place: TracePlace): TraceSink
}

/** Whatever it throws is noticed, and never reaches the run. */
export interface TraceSink {
  start?(session: TraceSession): void | Promise<void>
  /** One after the other, in order. */
  event?(event: TraceEvent): void | Promise<void>
  /** After the last event, with all of them and the totals. */
  end?(session: TraceSession): void | Promise<void>
}

/** All a sink may touch. */
export interface TracePlace {
  readonly mode: 'batched' | 'streaming'
  readonly clock: Clock
  readonly fetch: Fetch
  /** Whether a visitor can read everything here. */
  readonly isPage: boolean
}

/** As much of the platform's as a sink needs. */
export type Fetch = (
  url: string,
  init: { method: 'POST'; headers: Record<string, string>; body: string; signal: AbortSignal; keepalive?: boolean },
) => Promise<{
  readonly status: number
  readonly headers: { get(name: string): string | null }
  text(): Promise<string>
}>

export interface CustomSinkOptions {
  /** Each event as soon as it is known. */
  onEvent?: (event: TraceEvent) => void | Promise<void>
  /** The whole trace, once, at its end. */
  onSession?: (session: TraceSession) => void | Promise<void>
}

export function customSink({ onEvent, onSession }: CustomSinkOptions): TraceSinkConfig {
  return { type: 'custom', open: () => ({ event: onEvent, end: onSession }) }
}
