/** What a tool asks of a person before its effect: it rests there, and is entered again from its top with the answer. */
import { DogearError } from '../error.ts'
import { checkedElicited, type ElicitationResult, type Elicited } from '../permission/elicitation.ts'
import type { Question } from '../permission/request.ts'
import type { IndexedAnswer } from '../smart/questions.ts'

/** A question of the tool itself: plain data, so that a later entry can tell whether it asks the same. */
export interface Asks {
  readonly kind: 'approval' | 'question' | 'elicitation'
  /** How many the tool asked before it. */
  readonly position: number
  readonly prompt?: string
  readonly args?: unknown
  readonly questions?: readonly Question[]
  readonly allowFreeText?: boolean
  readonly elicited?: Elicited
}

/** What the person said to one of them. */
export interface Told {
  readonly asks: Asks
  readonly answers?: readonly IndexedAnswer[]
  readonly elicited?: ElicitationResult
  /** Set when they said no. */
  readonly refusal?: string
}

export interface Asking {
  /**
   * Waits until a person approves. Rejects with `request-rejected` when they say no: not caught, that is the call's
   * result. Only for before the effect: `func` is left here, and entered again from its top once they have decided.
   */
  requestApproval(what?: {
    /** A line above the arguments. */
    readonly prompt?: string
    /** What is shown in place of the call's own arguments. */
    readonly args?: unknown
  }): Promise<void>
  /** Asks one to four questions; the answers come in their order. Rejects, and is left and entered again, like `requestApproval`. */
  ask(
    questions: string | Question | readonly (string | Question)[],
    options?: { readonly allowFreeText?: boolean },
  ): Promise<readonly IndexedAnswer[]>
  /**
   * Has a form filled in, or sends the person to an address. Unlike the others it does not reject when they say no: its
   * `action` tells. Left and entered again like `requestApproval`.
   */
  elicit(what: Elicited): Promise<ElicitationResult>
}

export function createAsking(told: readonly Told[], raise: (asks: Asks) => void): Asking {
  let asked = 0

  async function person(what: Omit<Asks, 'position'>): Promise<Told> {
    const asks = { ...what, position: asked }
    asked += 1
    const said = told.findLast((other) => other.asks.position === asks.position)
    // Something else was asked then: a yes to one thing is not a yes to another.
    if (!said || JSON.stringify(said.asks) !== JSON.stringify(asks)) {
      raise(asks)
      // Never settled: what comes after it in the tool runs on the next entry.
      return new Promise(() => {})
    }
    if (said.refusal !== undefined) throw new DogearError('request-rejected', said.refusal)
    return said
  }

  return {
    async requestApproval({ prompt, args } = {}) {
      await person({ kind: 'approval', prompt, args })
    },
    async ask(given, { allowFreeText = true } = {}) {
      const questions = [given].flat().map((each) => (typeof each === 'string' ? { question: each } : each))
      return (await person({ kind: 'question', questions, allowFreeText })).answers ?? []
    },
    async elicit(what) {
      const said = await person({ kind: 'elicitation', elicited: checkedElicited(what) })
      return said.elicited ?? { action: 'cancel' }
    },
  }
}
