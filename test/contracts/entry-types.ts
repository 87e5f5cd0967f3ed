/** Every type of entry. A new one does not compile until it is named here, and does not pass until a story has it. */
import type { EntryType } from '@dogear/core'

const every: Readonly<Record<EntryType, 1>> = {
  'session-start': 1,
  'state-import': 1,
  'turn-start': 1,
  'step-start': 1,
  'message-add': 1,
  'call-request': 1,
  'request-open': 1,
  'request-close': 1,
  'tool-intent': 1,
  'tool-result': 1,
  'plan-set': 1,
  'usage-add': 1,
  'compaction-add': 1,
  'reflection-add': 1,
  'memory-add': 1,
  'cursor-set': 1,
  'agent-set': 1,
  'queue-set': 1,
  'rule-set': 1,
  'title-set': 1,
  'meta-set': 1,
  'slice-set': 1,
  'undo-intent': 1,
  'undo-result': 1,
  'command-refused': 1,
  'turn-end': 1,
}

export const entryTypes = Object.keys(every)
