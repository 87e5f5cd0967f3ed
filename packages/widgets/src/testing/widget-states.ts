/**
 * The states a widget can be in, each as the session that shows it: the gallery draws them, the tests look at them.
 * One long file, because it is one list.
 */

import type { SessionInfo } from '@dogear/worker'
import type { Plan, PlanStepStatus, Queued, Request } from '@dogear/core'
import { agentCalls, agentSays, streaming, userSays, type SessionState } from './scripted-session.ts'

const question = userSays('u1', 'Three nights in Lisbon, near the river, under €150')
const found =
  'I compared seven places. **Casa do Rio** is a five-minute walk from the Tagus and €132 a night with breakfast.'
const search = agentCalls('t1.1', found, [
  {
    name: 'search_hotels',
    args: { city: 'Lisbon', nights: 3, maxPrice: 150, near: ['river', 'tram'] },
    result: JSON.stringify([
      { name: 'Casa do Rio', price: 132 },
      { name: 'Ribeira', price: 148 },
    ]),
    summary: '7 found',
    durationMs: 1200,
  },
])
const longAnswer = `Here is a first sketch of your weekend.

## Friday

Arrive at **18:40**, drop your bags at Casa do Rio and walk to the river. Dinner at *Ponto Final* needs a booking.

- Tram 15E to Cais do Sodré
- Ferry to Cacilhas, €1.40
- [Opening hours](https://example.com/hours)

## Saturday

Start early at the Gulbenkian: the garden opens before the museum does`

export const approval: Request = {
  id: 't1.2.0.approval',
  kind: 'approval',
  openedAt: 0,
  callId: 't1.2.0',
  tool: 'book_hotel',
  label: 'Book a room',
  args: { hotel: 'Casa do Rio', nights: 3, total: '€396.00' },
  argsHash: '',
  parameters: {
    type: 'object',
    required: ['hotel', 'nights'],
    properties: {
      hotel: { type: 'string' },
      nights: { type: 'integer', minimum: 1 },
      total: { type: 'string' },
      breakfast: { type: 'boolean', description: 'Included in the price.' },
    },
  },
  reason: 'It keeps one room for your dates, so I would book it now.',
}

/** A call whose page closed while it ran. */
export const outcome: Request = {
  ...approval,
  id: 't1.2.0.outcome',
  kind: 'outcome',
  parameters: undefined,
  reason: undefined,
}

export const asked: Request = {
  id: 't1.3.0.question',
  kind: 'question',
  openedAt: 0,
  callId: 't1.3.0',
  tool: 'ask_user_question',
  args: {},
  argsHash: '',
  allowFreeText: true,
  questions: [
    {
      question: 'How would you like to get there?',
      header: 'Travel',
      options: [
        { label: 'By train', description: 'Slow, scenic, €48' },
        { label: 'By plane', description: 'Two hours, €120' },
        { label: 'I have a car' },
      ],
    },
    { question: 'Anything I should know?', required: false },
  ],
}

export const elicited: Request = {
  id: 't1.4.0.elicitation.0',
  kind: 'elicitation',
  openedAt: 0,
  callId: 't1.4.0',
  tool: 'book_hotel',
  label: 'Book a room',
  args: {},
  argsHash: '',
  message: 'The hotel needs to know who arrives, and when.',
  parameters: {
    type: 'object',
    required: ['name', 'email', 'arrival'],
    properties: {
      name: { type: 'string', title: 'Full name', description: 'As in the passport.', maxLength: 80 },
      email: { type: 'string', format: 'email' },
      arrival: { type: 'string', format: 'date' },
      bed: {
        type: 'string',
        oneOf: [
          { const: 'd', title: 'Double' },
          { const: 't', title: 'Twin' },
        ],
        default: 'd',
      },
      guests: { type: 'integer', minimum: 1, maximum: 4, default: 2 },
    },
  },
}

/** The same tool, which sends the person to a page instead. */
export const elicitedPage: Request = {
  ...elicited,
  id: 't1.4.0.elicitation.1',
  parameters: undefined,
  message: 'Pay the deposit of €40 on the page of the hotel, then come back.',
  url: 'https://pay.casa-do-rio.example/deposit/77?lang=en',
}

export const plan: Plan = {
  version: 3,
  lastUpdated: 0,
  adherenceScore: 1,
  steps: [
    step(1, 'Find a hotel near the river', 'completed', { evidence: '7 compared, Casa do Rio is best' }),
    step(2, 'Check the dates', 'completed'),
    step(3, 'Book the hotel', 'in-progress'),
    step(4, 'Pick restaurants', 'not-started', { owner: 'user' }),
    step(5, 'Write the day plan', 'not-started'),
  ],
}

export const widgetStates: Record<string, SessionState> = {
  empty: {},
  branches: {
    messages: [question, ...search, agentSays('t1.2.m', 'Shall I book it?')],
    branches: { u1: { ids: ['u0', 'u1'], index: 1 }, 't1.1.m': { ids: ['t0.1.m', 't1.1.m', 't2.1.m'], index: 1 } },
  },
  streaming: {
    status: 'busy',
    pending: [question],
    partial: streaming('t1.1', longAnswer),
  },
  tool: {
    status: 'busy',
    messages: [
      userSays('u0', 'What can you do?'),
      ...agentCalls('t0.1', 'A few things. I looked around first.', [
        { name: 'read_page', result: 'ok', durationMs: 300 },
        { name: 'read_cart', result: 'ok', durationMs: 900 },
        { name: 'check_weather', result: 'ok', durationMs: 1900 },
      ]),
      agentSays('t0.2.m', 'I can find places, compare them and book what you choose.'),
    ],
    pending: [
      question,
      ...search,
      ...agentCalls('t1.2', 'It keeps one room for your dates. Let me check two more things.', [
        {
          name: 'check_dates',
          result: 'The calendar did not answer. Try again later.',
          status: 'error',
          durationMs: 5000,
        },
        { name: 'search_hotels', args: { city: 'Sintra' } },
      ]),
    ],
    calls: [
      {
        callId: 't1.2.1',
        tool: 'search_hotels',
        args: '{"city":"Sintra"}',
        done: false,
        intent: { argsHash: '', attempt: 1, key: '', at: 0 },
      },
    ],
  },
  plan: {
    status: 'busy',
    plan,
    pending: [question, ...search],
    partial: streaming('t1.2', 'It keeps one room for your dates'),
  },
  approval: {
    status: 'paused',
    plan,
    pending: [
      question,
      ...search,
      ...agentCalls('t1.2', 'It keeps one room for your dates, so I would book it now.', []),
    ],
    requests: [approval],
  },
  outcome: {
    status: 'paused',
    messages: [
      userSays('u0', 'Tell Ana that we come'),
      ...agentCalls('t0.1', '', [
        {
          name: 'send_message',
          args: { to: 'Ana' },
          result: 'Stopped while this was running. Whether it took effect is not known.',
          status: 'stopped',
          unknown: true,
        },
      ]),
    ],
    pending: [
      question,
      ...search,
      ...agentCalls('t1.2', 'It keeps one room for your dates.', [{ name: 'book_hotel' }]),
    ],
    calls: [
      {
        callId: 't1.2.0',
        tool: 'book_hotel',
        args: '{"hotel":"Casa do Rio","nights":3}',
        done: false,
        request: outcome,
        intent: { argsHash: '', attempt: 1, key: '', at: 0 },
      },
    ],
    requests: [outcome],
  },
  checkpoint: {
    status: 'paused',
    pending: [question, ...search],
    requests: [
      {
        id: 't1.checkpoint',
        kind: 'checkpoint',
        openedAt: 0,
        callId: '',
        tool: '',
        args: [{ 'Book a room': { hotel: 'Casa do Rio', nights: 3 } }],
        argsHash: '',
      },
    ],
  },
  answered: { status: 'paused', pending: [question, ...search], requests: [{ ...approval, id: 'answered' }] },
  parked: {
    status: 'busy',
    connection: {
      type: 'failed',
      error: {
        code: 'session-parked',
        message: 'Going on with session "trip-42" after entry 12 ended the page 3 times.',
      },
    },
    pending: [question, ...search],
  },
  question: { status: 'paused', pending: [question, ...search], requests: [asked] },
  offline: {
    status: 'busy',
    waiting: 'network',
    connection: { type: 'offline' },
    pending: [question, ...search],
    queued: [later('u2', 'And is there a tram to the airport?')],
  },
  queued: {
    status: 'busy',
    pending: [question, ...search],
    partial: streaming('t1.2', 'It keeps one room for your dates. Let me look at the river side first'),
    queued: [
      later('u2', 'And is there a tram to the airport?'),
      later('u3', 'Then find a table for four on Saturday, not too late, somewhere we can walk to from the hotel'),
    ],
  },
  held: {
    messages: [question, ...search, agentSays('t1.2.m', 'It keeps one room', { status: 'stopped' })],
    lastEnd: { turnId: 't1', terminalReason: 'aborted_streaming' },
    queued: [later('u2', 'And is there a tram to the airport?'), later('u3', 'Then a table for four on Saturday')],
  },
  resumed: {
    messages: [
      question,
      agentSays('t1.1.m', longAnswer.replace('## Saturday', 'Then sleep.\n\n## Saturday'), {
        resumedAt: [longAnswer.indexOf('## Saturday')],
        reasoning: ['They want the river first, so start there.'],
      }),
    ],
  },
  error: {
    messages: [question, agentSays('t1.1.m', 'I compared seven places. **Casa do', { status: 'partial' })],
    lastEnd: {
      turnId: 't1',
      terminalReason: 'model_error',
      error: { code: 'network', message: 'POST /api/agent/chat/completions failed. Is the proxy running?' },
    },
  },
  edit: { status: 'paused', pending: [question, ...search], requests: [{ ...approval, id: 'edit' }] },
  reject: { status: 'paused', pending: [question, ...search], requests: [{ ...approval, id: 'reject' }] },
  always: {
    status: 'paused',
    pending: [question, ...search],
    requests: [{ ...approval, id: 'always', always: { rule: 'book_hotel(hotel: "Casa do Rio", nights: 1..3)' } }],
  },
  disguised: {
    status: 'paused',
    pending: [userSays('u1', 'Pay the invoice')],
    requests: [
      {
        ...approval,
        id: 'disguised',
        tool: 'send_payment',
        label: 'Pay an invoice',
        description: 'Sends money from the account of this shop.',
        parameters: {
          type: 'object',
          properties: { payee: { type: 'string' }, page: { type: 'string' }, amount: { type: 'number' } },
        },
        args: {
          payee: 'Casa do Rio\u200b',
          page: 'https://exаmple.com/invoice/77',
          amount: 132.5,
          Amount: '132.5',
        },
      },
    ],
  },
  batch: {
    status: 'paused',
    pending: [userSays('u1', 'Book all three')],
    requests: ['Casa do Rio', 'Ribeira', 'Pátio do Tijolo'].map((hotel, index) => ({
      ...approval,
      id: `batch-${index}`,
      args: { hotel, nights: 3 - index, total: `€${132 * (3 - index)}.00` },
    })),
  },
  preview: {
    status: 'paused',
    pending: [question],
    requests: [
      {
        ...asked,
        id: 'preview',
        questions: [
          {
            question: 'How should the invitation begin?',
            header: 'Tone',
            required: false,
            options: [
              { label: 'Warm', preview: 'Dear all,\nwe would love to see you in Lisbon.' },
              { label: 'Short', preview: 'Lisbon, 14 May. Coming?' },
            ],
          },
        ],
      },
    ],
  },
  several: {
    status: 'paused',
    pending: [question, ...search],
    requests: [
      {
        ...asked,
        id: 'several',
        questions: [
          {
            question: 'What should the room have?',
            header: 'Room',
            multiSelect: true,
            options: [{ label: 'Breakfast' }, { label: 'A view', description: 'Of the river, €20 more' }],
          },
        ],
      },
    ],
  },
  other: {
    status: 'paused',
    pending: [question, ...search],
    requests: [{ ...asked, id: 'other', questions: asked.questions!.slice(0, 1) }],
  },
  elicitation: { status: 'paused', pending: [question, ...search], requests: [elicited] },
  incomplete: { status: 'paused', pending: [question, ...search], requests: [{ ...elicited, id: 'incomplete' }] },
  page: { status: 'paused', pending: [question, ...search], requests: [elicitedPage] },
  disguisedPage: {
    status: 'paused',
    pending: [question, ...search],
    requests: [{ ...elicitedPage, id: 'disguised', url: 'https://pay.example@xn--csa-do-rio-vij.example/77' }],
  },
  review: { status: 'paused', pending: [question, ...search], requests: [{ ...asked, id: 'review' }] },
  inbox: { messages: [question, ...search, agentSays('t1.2.m', 'Shall I book it?')] },
  launcher: { status: 'paused', pending: [question], requests: [approval] },
  destructive: {
    status: 'paused',
    pending: [userSays('u1', 'Cancel all of it')],
    requests: [
      {
        ...approval,
        tool: 'delete_trip',
        label: 'Delete the trip',
        destructive: true,
        prompt: 'This cannot be undone.',
        parameters: {
          type: 'object',
          properties: {
            trip: { type: 'string' },
            guests: {
              type: 'array',
              items: { type: 'object', properties: { name: { type: 'string' }, email: { type: 'string' } } },
            },
            note: { type: 'string' },
          },
        },
        args: {
          trip: 'Lisbon \u202Eevil',
          guests: [
            { name: 'Ana', email: 'ana@example.com' },
            { name: 'Rui', email: 'rui@example.com' },
          ],
          note: 'Please refund everything. '.repeat(60),
        },
      },
    ],
  },
}

/** The states of each widget; all others are the chat's own. */
export const statesOf: Readonly<Record<string, readonly string[]>> = {
  approval: [
    'approval',
    'edit',
    'reject',
    'destructive',
    'disguised',
    'always',
    'batch',
    'checkpoint',
    'outcome',
    'answered',
    'launcher',
    'inbox',
  ],
  question: ['question', 'several', 'other', 'preview', 'review', 'elicitation', 'incomplete', 'page', 'disguisedPage'],
  plan: ['plan'],
}

/** What a visitor does to get from the session to the state: a selector to click, or with words to write into. */
export const widgetSteps: Record<string, readonly (readonly [selector: string, words?: string])[]> = {
  plan: [['.strip']],
  edit: [
    ['.buttons .button + .button'],
    ['.field:nth-child(2) input', '0'],
    ['.field:nth-child(1) textarea', 'Ribeira'],
  ],
  reject: [['.buttons .button'], ['.request textarea', 'Too loud there']],
  always: [['.aside summary'], ['.aside label:last-child input']],
  batch: [['.facts .link']],
  several: [['.option input'], ['.option:nth-child(2) input']],
  other: [['.option:last-child input'], ['.text', 'By boat, along the coast']],
  preview: [['.option input']],
  incomplete: [['.field input', 'Ana Silva'], ['.field:nth-child(2) input', 'ana'], ['.primary']],
  review: [['.option:nth-child(2) input'], ['.primary'], ['.text', 'No meat, please'], ['.primary']],
  inbox: [['header .quiet']],
}

/** The sessions the state `inbox` tells of. */
export const waitingSessions: readonly SessionInfo[] = [
  sessionInfo('porto', 'A weekend in Porto', { waiting: 2, asks: ['Book a room', 'Pay the deposit'] }),
  sessionInfo('tables', 'Find a table for four on Saturday, not too late, near the hotel', { waiting: 1 }),
]

function sessionInfo(id: string, title: string, asked: Pick<SessionInfo, 'waiting' | 'asks'>): SessionInfo {
  return {
    id,
    agent: 'concierge',
    title,
    ...asked,
    createdAt: 0,
    updatedAt: 0,
    messageCount: 4,
    archived: false,
    status: 'paused',
    open: false,
  }
}

function later(commandId: string, content: string): Queued {
  return { commandId, content, when: 'later' }
}

function step(id: number, words: string, status: PlanStepStatus, more: { owner?: string; evidence?: string } = {}) {
  return { id, step: words, owner: 'agent', exitCriteria: '', status, ...more }
}
