/** Every word a visitor reads, in English. Override any of them by the `strings` property. */

import type { ErrorCode } from '@dogear/core'
import { markdownEnglish } from './markdown/markdown-strings.ts'

export const english = {
  heading: 'Assistant',
  greeting: 'What can I help with?',
  introduction: 'You can reload or leave at any time. Your place is kept.',
  placeholder: 'Write a message',
  placeholderOffline: 'Write, it’s sent when you’re online',
  placeholderBusy: 'Add something',
  open: 'Open chat',
  close: 'Close',
  send: 'Send',
  stop: 'Stop',
  copy: 'Copy',
  copied: 'Copied',
  retry: 'Try again',
  edit: 'Edit',
  editing: 'Edit your message',
  cancel: 'Cancel',
  save: 'Save',
  regenerate: 'Answer again',
  /** Said where another branch is begun after tools have run. */
  staysDone: 'What was done since stays done.',
  version: (current: number, total: number) => `Version ${current} of ${total}`,
  versionBefore: 'Previous version',
  versionAfter: 'Next version',
  skip: 'Skip',
  back: 'Back',
  details: 'Details',
  jump: 'Jump to latest',
  older: 'Loading earlier messages',
  conversation: 'Conversation',
  userSaid: 'You said',
  agentSaid: 'The agent said',
  saving: 'Saving',
  unsent: 'Will send when online',
  queued: 'Next in line',
  /** After a stop or a failure: nothing begins by itself. */
  held: 'Held until you send',
  unqueue: 'Take back',
  sendNow: 'Send now',
  count: (current: number, total: number) => `${current} of ${total}`,

  /** The fold, in words. */
  status: {
    opening: 'Opening',
    new: 'Ready',
    saved: 'Saved',
    unkept: 'Not saved: this browser blocks storage',
    working: 'Working',
    asking: 'Waiting for you',
    offline: 'Offline – will continue',
    error: 'Stopped, nothing is lost',
  },

  resumed: 'Picked up here',
  partial: 'Cut off here',
  lost: 'A part of this conversation can’t be read any more',
  stopped: 'You stopped this answer',
  thinking: 'Thinking',
  thought: 'Thoughts',
  thoughtFor: (duration: string) => `Thought for ${duration}`,

  /** How far a tool call is. */
  call: {
    waiting: 'Waiting',
    asking: 'Waits for you',
    running: 'Running',
    done: 'Done',
    failed: 'Failed',
    declined: 'You said no',
    skipped: 'Skipped',
    unknown: 'Outcome unknown',
  },
  /** Other conversations in which something waits. */
  inbox: (count: number) =>
    count === 1 ? 'Another conversation waits for you' : `${count} conversations wait for you`,
  inboxUntitled: 'Conversation',
  inboxWaiting: (count: number) => `${count} waiting`,
  asks: 'Asks you',
  asked: 'Asked you',
  actions: (count: number) => `${count} actions`,
  failures: (count: number) => `${count} failed`,
  unknowns: (count: number) => `${count} unknown`,
  seconds: (seconds: string) => `${seconds} s`,
  result: 'Result',
  showAll: (characters: string) => `Show all ${characters} characters`,
  yes: 'Yes',
  no: 'No',
  none: 'none',
  /** What a set or a map in an argument holds. */
  parts: {
    item: (index: number) => `Item ${index}`,
    key: (index: number) => `Key ${index}`,
    value: (index: number) => `Value ${index}`,
  },

  plan: 'Plan',
  planDone: 'All done',
  /** Whose step it is, when it is the visitor's. */
  you: 'you',
  /** How far a step of the plan is. */
  step: {
    'not-started': 'Not started',
    'in-progress': 'Now',
    completed: 'Done',
    blocked: 'Blocked',
  },

  /** Rows of a long list that are not drawn yet. */
  moreRows: (count: number) => `Show ${count} more`,
  /** A host in an argument that is not what it seems. */
  disguised: (host: string) => `Look twice: this leads to ${host}`,

  approvalTitle: (label: string) => `${label}?`,
  approvalHint: 'Nothing happens until you decide.',
  approvalReason: 'The agent says',
  approvalDont: 'Don’t',
  approvalEdit: 'Edit',
  approvalComment: 'What should it do instead? (optional)',
  approvalReject: 'Don’t do it',
  /** While Approve waits until everything was seen. */
  approvalMore: (count: number) => `${count} more to look at`,
  approvalFramed: 'Another site shows this page inside its own, so nothing can be approved here.',
  approvalOwnTab: 'Open this page in its own tab.',
  approvalCovered: 'Something on this page lies over this.',
  approvalOnTop: 'Show it on top',
  approvalTogether: (count: number) => `All ${count} together`,
  approvalOneByOne: 'One by one',
  approvalAll: (verb: string, count: number) => `${verb} ${count}`,
  approvalTimes: (label: string, count: number) => `${label}? ${count} times`,
  /** Whether it asks again, by how long that holds. */
  always: {
    never: 'Ask me each time',
    session: 'Don’t ask again in this conversation',
    user: 'Don’t ask again in this browser',
  },
  alwaysRule: 'Without asking, from now on:',
  was: 'Was',
  notNumber: 'Write a number.',
  notJson: 'This is not JSON yet.',
  /** What is wrong with what stands in a field. */
  field: {
    required: 'This is needed.',
    whole: 'Write a whole number.',
    email: 'Write an email address.',
    uri: 'Write a web address.',
    date: 'Write a date, like 2026-05-14.',
    least: (characters: number) => `At least ${characters} characters.`,
    most: (characters: number) => `At most ${characters} characters.`,
    atLeast: (least: number) => `At least ${least}.`,
    atMost: (most: number) => `At most ${most}.`,
  },
  outcomeTitle: (label: string) => `Did it happen? ${label}`,
  outcomeHint: 'The page closed while this was running. Please check what became of it.',
  outcomeResult: 'If it happened: what came of it? (optional)',
  checkpointTitle: 'Go on?',
  /** What a person says about a call nobody knows the end of, or at a checkpoint. */
  outcome: {
    stop: 'Stop here',
    retry: 'It didn’t, run it',
    happened: 'It happened',
    approve: 'Go on',
  },
  answeredElsewhere: (by?: string) => (by ? `Answered by ${by}` : 'Answered in another tab'),

  questionOther: 'Something else…',
  questionOptional: 'Optional',
  questionSeveral: 'Choose any that fit.',
  questionReview: 'Is this right?',
  questionChange: (question: string) => `Change: ${question}`,
  questionSkipped: 'Not answered',
  questionNotes: 'Anything to add? (optional)',
  questionNext: 'Next',
  questionSend: 'Answer',
  questionCancel: 'Don’t answer',
  questionPlaceholder: 'Your answer',

  /** A tool's own form or page, by the tool's label. */
  elicitTitle: (label: string) => `“${label}” asks you`,
  elicitDecline: 'Decline',
  elicitDone: 'Done',
  elicitAddress: 'Address',
  elicitHost: 'Leads to',
  elicitOpen: 'Open in a new tab',
  elicitBlocked: 'This is no web address, so it can’t be opened.',

  /** What holds a turn up. */
  waiting: {
    network: 'Connection lost. Your message is saved and goes on by itself.',
    token: 'Sign in again to go on. Your message is saved.',
    space: 'This device is out of space. Free some, and it goes on by itself.',
  },
  waitingPage: (label: string) => `Continues on a page that has “${label}”.`,

  /** What went wrong, by `ErrorData.code`; for what is not listed, `error`. */
  errors: {
    'endpoint-missing': 'This assistant isn’t set up yet.',
    forbidden: 'You don’t have access to this assistant.',
    'history-lost': 'This browser has lost part of what was kept here. You can go on with what is left.',
    network: 'The service can’t be reached. Your message is saved.',
    'quota-exceeded': 'The assistant has used up its budget. Your message is saved.',
    'rate-limited': 'Too much at once. Wait a moment, then try again.',
    'session-parked':
      'This conversation stopped the page three times at the same place, so it waits here. Nothing is lost.',
    'session-newer': 'A newer version opened this conversation. Reload to continue.',
    'storage-full': 'This device is out of space. Free some, then try again.',
    'stream-cut': 'The answer was cut off. What you see is saved.',
    'token-refused': 'Sign in again to go on. Your message is saved.',
    'worker-blocked': 'This assistant can’t start on this page.',
  } as Readonly<{ [code in ErrorCode]?: string }>,
  error: 'That didn’t work. Nothing that was saved is lost.',
  limitReached: 'This took more steps than allowed. You can ask it to go on.',
  lengthReached: 'The answer reached its length limit.',

  /** Words inside answers. */
  markdown: markdownEnglish,
}

export type Strings = typeof english

/** Words of your own, also single ones of a group. */
export type StringsOverride = { readonly [Key in keyof Strings]?: Strings[Key] | Partial<Strings[Key]> }

export function stringsWith(own: StringsOverride = {}): Strings {
  const words: Record<string, unknown> = { ...english }
  for (const [key, value] of Object.entries(own)) {
    words[key] = typeof value === 'object' ? { ...(english[key as keyof Strings] as object), ...value } : value
  }
  return words as Strings
}
