/** The moments of a turn, as the outside sees them: where a fault can be made. */

/** In the order of a turn. */
export const moments = ['saved', 'asked', 'called', 'effect', 'replied', 'streaming', 'answered'] as const
export type Moment = (typeof moments)[number]

/** Where the outside waits until the fault is made; at the others it has gone on already. */
export const waitedFor: readonly Moment[] = ['asked', 'effect', 'streaming']

/** Between a tool's effect and its result in the journal: where a second run would do harm. */
export const insideTheCall: readonly Moment[] = ['effect', 'replied']

export interface Moments {
  /** Makes the fault when the moment comes, once; resolves when it is made. */
  arm(moment: Moment, fault: () => unknown): Promise<void>
  /** Called by the outside: settles when the fault that waited for it is made. */
  reach(moment: Moment): Promise<void>
}

export function createMoments(): Moments {
  const armed = new Map<Moment, () => Promise<void>>()
  return {
    arm(moment, fault) {
      return new Promise((resolve, reject) => {
        armed.set(moment, async () => {
          armed.delete(moment)
          try {
            await fault()
            resolve()
          } catch (error) {
            reject(error)
          }
        })
      })
    },
    reach: async (moment) => armed.get(moment)?.(),
  }
}
