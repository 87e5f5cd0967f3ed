/** The states a widget can be in, each as the session that shows it: the gallery draws them, the tests look at them. */

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
      nights: { type: 'integer' },
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

export const plan: Plan = {
  version: 3,
  lastUpdated: 0,
  adherenceScore: 1,
  steps: [
    step(1, 'Find a hotel near the river', 'completed', { evidence: '7 compared, Casa do Rio is best' }),
    step(2, 'Check the dates', 'completed'),
    step(3, 'Book the hotel', 'in-progress'),
    step(4, 'Pick restaurants', 'not-started', { owner: 'you' }),
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

function later(commandId: string, content: string): Queued {
  return { commandId, content, when: 'later' }
}

function step(id: number, words: string, status: PlanStepStatus, more: { owner?: string; evidence?: string } = {}) {
  return { id, step: words, owner: 'agent', exitCriteria: '', status, ...more }
}
