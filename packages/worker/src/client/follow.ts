/** A session followed by events, in Omni's names and order: what it is now, then all that comes after it, without a gap. */
import {
  bodyOf,
  type Entry,
  type EntryOf,
  type ErrorData,
  type Message,
  type Partial,
  type Request,
  type Status,
} from '@dogear/core'
import type { Session } from '../session.ts'

type Block = 'text' | 'thinking' | 'tool_use'

export type SessionEvent =
  | { readonly type: 'status'; readonly status: Status }
  /** A piece of the answer that streams; `id` and `name` are a call's. */
  | { readonly type: `${Block}_start` | `${Block}_end`; readonly id?: string; readonly name?: string }
  | { readonly type: `${Block}_delta`; readonly delta: string; readonly id?: string; readonly name?: string }
  | { readonly type: 'message' | 'step' | 'tool_result'; readonly message: Message }
  /** `continue`: the agent goes on by itself with the next turn. */
  | { readonly type: 'turn'; readonly reason: 'stop' | 'continue' }
  | { readonly type: 'pause'; readonly request: Request }
  /** The answer was cut off, and is asked for again. */
  | { readonly type: 'retry' }
  | { readonly type: 'error'; readonly error?: ErrorData }
  | { readonly type: 'cancelled' }
  /** Model, system prompt or other settings were changed. */
  | { readonly type: 'state' }
  | { readonly type: 'title'; readonly title: string }
  /** The tree has these messages from now on, by their ids, or another branch of it is shown. */
  | { readonly type: 'tree'; readonly newNodes: readonly string[] }
  /** What was told before it is on the disk, as all is that is told; what cannot be written is waited for, and not told. */
  | { readonly type: 'store'; readonly saved: 'tree' | 'state' }

export interface Followed {
  readonly snapshot: {
    readonly status: Status
    /** Committed, as far as they are loaded. */
    readonly messages: readonly Message[]
    /** Of the turn in flight. */
    readonly pending: readonly Message[]
    readonly partial: Partial | null
  }
  unfollow(): void
}

/** Tells what happens in a session from now on; an agent at work for another is told of by what it asks. */
export function follow(session: Session, listener: (event: SessionEvent) => void): Followed {
  const { status, messages, pending, partial } = session
  const snapshot = {
    status: status.peek(),
    messages: messages.peek(),
    pending: pending.peek(),
    partial: partial.peek(),
  }
  const stream = createStream(listener, snapshot.partial)
  let told = snapshot.status
  let newNodes = snapshot.pending.map(({ id }) => id)
  let entries: Entry[] = []
  let isScheduled = false
  let isOver = false

  function tellStatus(now: Status): void {
    if (now !== told) listener({ type: 'status', status: (told = now) })
  }

  /** Later, when the signals show what the entries have changed. */
  function schedule(): void {
    if (isScheduled) return
    isScheduled = true
    queueMicrotask(flush)
  }

  function flush(): void {
    isScheduled = false
    if (isOver) return
    const news = entries
    entries = []
    for (const [index, entry] of news.entries()) tell(entry, news[index + 1])
    stream.show(partial.peek())
    tellStatus(status.peek())
  }

  function tell(entry: Entry, next: Entry | undefined): void {
    if (entry.type === 'request-open') {
      if (status.peek() === 'paused') tellStatus('paused')
      return listener({ type: 'pause', request: entry.request })
    }
    if (entry.path.length) return
    const message = bodyOf(entry)
    if (entry.type === 'turn-start') tellStatus('busy')
    if (entry.type === 'step-start') stream.begin(entry.stepId ?? '')
    // What a page's tools are called is noted for other pages; nobody has changed anything.
    if (entry.type === 'meta-set' && !entry.tools) tellState({ type: 'state' })
    if (entry.type === 'title-set') tellState({ type: 'title', title: entry.title })
    if (entry.type === 'turn-end') tellEnd(entry, next)
    if (entry.type === 'turn-end' || entry.type === 'cursor-set') tellTree()
    if (!message) return
    newNodes.push(message.id)
    const isAnswer = message.role === 'assistant'
    if (isAnswer) stream.end(message)
    if (entry.type === 'tool-result') listener({ type: 'tool_result', message })
    listener({ type: 'message', message })
    if (!isAnswer) return
    listener(message.meta.status === 'partial' ? { type: 'retry' } : { type: 'step', message })
  }

  function tellEnd({ terminalReason, error }: EntryOf<'turn-end'>, next: Entry | undefined): void {
    const goesOn = next?.type === 'turn-start' && next.origin === 'code'
    if (!goesOn) tellStatus('idle')
    if (terminalReason.startsWith('aborted')) return listener({ type: 'cancelled' })
    if (error) return listener({ type: 'error', error })
    listener({ type: 'turn', reason: goesOn ? 'continue' : 'stop' })
  }

  function tellState(event: SessionEvent): void {
    listener(event)
    listener({ type: 'store', saved: 'state' })
  }

  function tellTree(): void {
    listener({ type: 'tree', newNodes })
    newNodes = []
    listener({ type: 'store', saved: 'tree' })
  }

  const unlisten = session.listen((entry) => {
    entries.push(entry)
    schedule()
  })
  const unsubscribe = partial.subscribe(schedule)
  return {
    snapshot,
    unfollow() {
      isOver = true
      unlisten()
      unsubscribe()
    },
  }
}

/** The answer that streams, as blocks: one is open at a time. */
function createStream(listener: (event: SessionEvent) => void, shown: Partial | null) {
  let step = shown?.stepId
  let told = shown ? blocksOf(wordsOf(shown)) : []
  let open = told.at(-1)

  function close(): void {
    if (open) listener({ type: `${open.block}_end`, ...open.call })
    open = undefined
  }

  function grow(blocks: readonly Written[]): void {
    for (const now of blocks) {
      const before = told.find(({ key }) => key === now.key)?.words ?? ''
      // What a guardrail put in place of the words is in the message.
      if (!now.words.startsWith(before) || (now.words === before && told.some(({ key }) => key === now.key))) continue
      if (open?.key !== now.key) {
        close()
        listener({ type: `${now.block}_start`, ...now.call })
      }
      open = now
      const delta = now.words.slice(before.length)
      if (delta) listener({ type: `${now.block}_delta`, delta, ...now.call })
    }
    told = [...blocks]
  }

  return {
    begin(stepId: string) {
      step = stepId
      told = []
    },
    show(partial: Partial | null) {
      // Of a step that was not told of yet: what was missed is being read.
      if (partial && (step === undefined || step === partial.stepId)) grow(blocksOf(wordsOf(partial)))
    },
    end({ content, tool_calls: calls = [], meta }: Message) {
      const text = typeof content === 'string' ? content : ''
      const reasoning = meta.reasoning?.join('') ?? ''
      const written = calls.map(({ id, function: called }) => ({ id, name: called.name, args: called.arguments }))
      grow(blocksOf({ text, reasoning, calls: written }))
      close()
      told = []
    },
  }
}

interface Written {
  readonly key: string
  readonly block: Block
  readonly words: string
  readonly call?: { readonly id: string; readonly name: string }
}

interface Words {
  readonly text: string
  readonly reasoning: string
  readonly calls: readonly { readonly id: string; readonly name: string; readonly args: string }[]
}

function blocksOf({ text, reasoning, calls }: Words): Written[] {
  return [
    ...(reasoning ? [{ key: 'thinking', block: 'thinking' as const, words: reasoning }] : []),
    ...(text ? [{ key: 'text', block: 'text' as const, words: text }] : []),
    ...calls.map(({ id, name, args }) => ({ key: id, block: 'tool_use' as const, words: args, call: { id, name } })),
  ]
}

function wordsOf({ stepId, text, reasoning, calls }: Partial): Words {
  return { text, reasoning, calls: calls.map((call, index) => ({ ...call, id: `${stepId}.${index}` })) }
}
