/** How many faults, from which seed: given by `pnpm faults`, small by default so that every test run has them. */

export interface Settings {
  readonly seed: string
  /** The first round; a failing one is replayed by its number. */
  readonly from: number
  readonly browser: number
  readonly worker: number
  readonly renderer: number
}

const usual: Settings = { seed: 'dogear', from: 0, browser: 30, worker: 30, renderer: 20 }

export const settings: Settings = { ...usual, ...(JSON.parse(process.env.DOGEAR_FAULTS ?? '{}') as Partial<Settings>) }
