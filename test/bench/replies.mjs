/** What the model of the benchmark says: event streams as OpenAI sends them, the same for every row. */

/** Stands in every event, and in the ids of calls; each answer has another in its place. */
export const answerId = 'C0ffeeC0ffee'

const envelope = {
  id: `chatcmpl-${answerId}`,
  object: 'chat.completion.chunk',
  created: 1760000000,
  model: 'bench-model-2026-01-01',
  service_tier: 'default',
  system_fingerprint: 'fp_0123456789',
}

/** @typedef {{ events: string[], isBuffered?: boolean }} Reply */

/** @type {Record<string, { calls?: Reply, answer: Reply }>} */
export const replies = {
  tool: { calls: asking(1), answer: saying(24) },
  parallel: { calls: asking(8), answer: saying(24) },
  chunks: { answer: saying(1000) },
  buffered: { answer: { ...saying(1000), isBuffered: true } },
}

/** @returns {Reply} */
function saying(words) {
  const deltas = Array.from({ length: words }, (_, index) => ({ content: index % 7 === 6 ? ' and so on,' : ' word' }))
  return { events: events([{ role: 'assistant', content: '', refusal: null }, ...deltas], 'stop') }
}

/** @returns {Reply} */
function asking(calls) {
  const deltas = Array.from({ length: calls }, (_, index) => callDeltas(index)).flat()
  return { events: events([{ role: 'assistant', content: null }, ...deltas], 'tool_calls') }
}

function callDeltas(index) {
  const start = { id: `call_${index}${answerId}`, type: 'function', function: { name: 'find_hotels', arguments: '' } }
  const pieces = ['{"', 'city', '":"', 'Lis', 'bon', '","nights', '":', '3', '}']
  return [
    { tool_calls: [{ index, ...start }] },
    ...pieces.map((piece) => ({ tool_calls: [{ index, function: { arguments: piece } }] })),
  ]
}

function events(deltas, finish_reason) {
  const chunks = [
    ...deltas.map((delta) => ({ choices: [{ index: 0, delta, logprobs: null, finish_reason: null }], usage: null })),
    { choices: [{ index: 0, delta: {}, logprobs: null, finish_reason }], usage: null },
    { choices: [], usage: { prompt_tokens: 120, completion_tokens: 40, total_tokens: 160 } },
  ]
  return [...chunks.map((chunk) => `data: ${JSON.stringify({ ...envelope, ...chunk })}\n\n`), 'data: [DONE]\n\n']
}
