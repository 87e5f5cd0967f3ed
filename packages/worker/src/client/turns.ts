/** The promises behind `session.send()`: saved when journalled, settled when the session rests. */
import {
  fromErrorData,
  pathOf,
  statusOf,
  stopReasonOf,
  textOf,
  type Command,
  type ErrorData,
  type Fold,
  type Message,
} from '@dogear/core'
import type { Turn, TurnResult } from '../session.ts'

export interface Turns {
  add(command: Command): Turn
  /** A turn that fails at once: its command is never sent. */
  refuse(command: Command, error: ErrorData): Turn
  saved(commandId: string): void
  /** False when the command is not from here. */
  lost(commandId: string, error: ErrorData): boolean
  /** Commands no host has confirmed yet. */
  unsaved(): Command[]
  /** Settles what the fold shows to be at rest. */
  settle(fold: Fold): void
  /** Nobody will settle what is open: it fails with this. */
  close(error: ErrorData): void
}

interface Open {
  readonly command: Command
  isSaved: boolean
  readonly markSaved: () => void
  readonly markLost: (error: unknown) => void
  readonly resolve: (result: TurnResult) => void
  readonly reject: (error: unknown) => void
}

export function createTurns(): Turns {
  const open = new Map<string, Open>()

  function lose(commandId: string, error: ErrorData): boolean {
    const turn = open.get(commandId)
    if (!turn) return false
    open.delete(commandId)
    turn.markLost(fromErrorData(error))
    turn.reject(fromErrorData(error))
    return true
  }

  const turns: Turns = {
    add(command) {
      let markSaved = () => {}
      let markLost: (error: unknown) => void = () => {}
      const saved = new Promise<void>((resolve, reject) => ([markSaved, markLost] = [resolve, reject]))
      const rest = new Promise<TurnResult>((resolve, reject) => {
        open.set(command.commandId, { command, isSaved: false, markSaved, markLost, resolve, reject })
      })
      // Nobody is made to wait for either: an unread rejection must not reach the page's error handler.
      saved.catch(() => {})
      rest.catch(() => {})
      return { id: command.commandId, saved, then: rest.then.bind(rest) }
    },
    saved(commandId) {
      const turn = open.get(commandId)
      if (!turn) return
      turn.isSaved = true
      turn.markSaved()
    },
    refuse(command, error) {
      const turn = turns.add(command)
      lose(command.commandId, error)
      return turn
    },
    lost: lose,
    unsaved: () => [...open.values()].filter((turn) => !turn.isSaved).map((turn) => turn.command),
    settle(fold) {
      for (const [commandId, turn] of open) {
        const result = resultAt(fold, turn.command)
        if (!result) continue
        open.delete(commandId)
        turn.markSaved()
        turn.resolve(result)
      }
    },
    close(error) {
      for (const commandId of [...open.keys()]) lose(commandId, error)
    },
  }
  return turns
}

const startsTurn: ReadonlySet<Command['type']> = new Set(['send', 'retry', 'compact', 'edit', 'regenerate'])

/** The result when this command has come to rest, else undefined. */
function resultAt(fold: Fold, command: Command): TurnResult | undefined {
  const { head } = fold
  const { commandId } = command
  if (!head.commands.includes(commandId)) return undefined
  const refused = head.refused.find((refusal) => refusal.commandId === commandId)?.reason
  if (refused === undefined && startsTurn.has(command.type)) return ownResult(fold, command)
  // Another branch is reached when it can be shown.
  const isMove = command.type === 'goto' || command.type === 'rewind'
  if (isMove && head.leaf !== null && !fold.bodies.has(head.leaf)) return undefined
  if (refused === undefined && command.type.startsWith('resolve') && statusOf(head) === 'busy') return undefined
  return resultOf(fold, head.turn?.id ?? head.lastEnd?.turnId, refused)
}

/** Of the turn a command started, or joined: what has happened since is another turn's. */
function ownResult(fold: Fold, { commandId, type }: Command): TurnResult | undefined {
  const { head } = fold
  if (head.queue.some((queued) => queued.commandId === commandId)) return undefined
  const turnId = fold.nodes.get(`${commandId}.u`)?.turnId ?? commandId
  if (head.turn?.id === turnId) return statusOf(head) === 'paused' ? resultOf(fold, turnId) : undefined
  const hasBegun = head.lastEnd?.turnId === turnId || head.nodes.some((node) => node.turnId === turnId)
  return resultOf(fold, turnId, hasBegun || type !== 'send' ? undefined : 'It was taken back before it was sent.')
}

function resultOf(fold: Fold, turnId: string | undefined, refused?: string): TurnResult {
  const { turn, lastEnd, requests, usage } = fold.head
  const isOpen = turn !== null && turn.id === turnId
  const end = lastEnd?.turnId === turnId ? lastEnd : null
  const terminalReason = isOpen && statusOf(fold.head) === 'paused' ? 'paused' : (end?.terminalReason ?? 'completed')
  const said = messagesOf(fold, turnId)
  const answer = said.findLast(({ role }) => role === 'assistant')
  return {
    terminalReason,
    text: answer ? textOf(answer) : '',
    stopReason: answer ? stopReasonOf(answer) : null,
    isError: Boolean(end?.error ?? end?.outputError) || terminalReason.startsWith('max_'),
    requests: isOpen ? requests : [],
    usage,
    modelUsage: usage.totals,
    costUsd: isOpen ? turn.spent.costUsd || undefined : end?.costUsd,
    steps: said.filter(({ role }) => role === 'assistant').length,
    origin: (isOpen ? turn : end)?.origin,
    durationMs: (said.at(-1)?.meta.createdAt ?? 0) - (said[0]?.meta.createdAt ?? 0),
    error: end?.error,
    output: end?.output,
    outputError: end?.outputError,
    permissionDenials: (isOpen ? turn.denials : end?.denials) ?? [],
    refused,
  }
}

/** Those that are read in; older ones may not be. */
function messagesOf(fold: Fold, turnId: string | undefined): Message[] {
  return pathOf(fold).flatMap((node) => (node.turnId === turnId && fold.bodies.get(node.id)) || [])
}
