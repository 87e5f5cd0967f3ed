/** Who shows a Request: exactly one place, the one that is nearest to the person. */

import { signal, type Signal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import type { Request, RequestKind } from '@dogear/core'
import type { Session } from '@dogear/worker'
import { useWidget } from '../context.ts'

/** From far to near: a closed chat's launcher, an open chat, a widget made for this. */
export type Nearness = 0 | 1 | 2

/** The requests that are this place's to show, oldest first. */
export function useRequests(kinds: readonly RequestKind[], nearness: Nearness): readonly Request[] {
  const { session: opened, emit } = useWidget()
  // The foot of a chat is drawn before its session is open.
  const session = opened as Session | undefined
  const { places, told } = session ? deskOf(session) : emptyDesk
  const place = useMemo<Place>(() => ({ kinds, nearness }), [kinds, nearness])

  useEffect(() => {
    places.value = [...places.peek(), place]
    return () => {
      places.value = places.peek().filter((each) => each !== place)
    }
  }, [places, place])

  const mine = (session?.requests.value ?? []).filter(({ kind }) => nearest(places.value, kind) === place)
  useEffect(() => {
    const fresh = mine.filter(({ id }) => !told.peek().has(id))
    if (fresh.length === 0) return
    const shows = fresh.map((request) => [request.id, emit('request', { request })] as const)
    told.value = new Map([...told.peek(), ...shows])
  })
  // Shown once the page was told, and did not take it upon itself.
  return mine.filter(({ id }) => told.value.get(id))
}

/** Whether somebody on this page could see it. */
export function wasShown(session: Session, requestId: string): boolean {
  return deskOf(session).told.value.has(requestId)
}

export const allKinds: readonly RequestKind[] = [
  'approval',
  'question',
  'elicitation',
  'checkpoint',
  'deferred',
  'outcome',
]

interface Place {
  readonly kinds: readonly RequestKind[]
  readonly nearness: Nearness
}

interface Desk {
  readonly places: Signal<readonly Place[]>
  /** By request: whether the widgets are to show it. */
  readonly told: Signal<ReadonlyMap<string, boolean>>
}

const desks = new WeakMap<Session, Desk>()
/** For a chat whose session is not open yet. */
const emptyDesk: Desk = { places: signal([]), told: signal(new Map()) }

function deskOf(session: Session): Desk {
  let desk = desks.get(session)
  if (!desk) desks.set(session, (desk = { places: signal([]), told: signal(new Map()) }))
  return desk
}

function nearest(places: readonly Place[], kind: RequestKind): Place | undefined {
  return places
    .filter(({ kinds }) => kinds.includes(kind))
    .reduce<Place | undefined>((best, place) => (best && best.nearness >= place.nearness ? best : place), undefined)
}
