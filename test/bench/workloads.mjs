/** What is measured: how long the conversations are, what each turn of them must come to, and what it may cost. */

/**
 * @typedef {object} Workload
 * @property {string} title
 * @property {string} reply            which of the replies the server gives
 * @property {number} calls            of the tool, in one turn
 * @property {number} turns            in one conversation
 * @property {number} conversations    in one measurement: few, so that all rows are measured under the same load
 * @property {number} warmUp           measurements that do not count, until the code is compiled
 * @property {number} share            of the rounds asked for
 * @property {{ dogear: number, journal: number }} [budget]    ratio to the bare loop
 * @property {boolean} [isGrowth]      compares the last tenth of the turns with the first
 */

/** @type {Record<string, Workload>} */
export const workloads = {
  tool: {
    title: 'tool turn',
    reply: 'tool',
    calls: 1,
    turns: 10,
    conversations: 4,
    warmUp: 100,
    share: 1,
    budget: { dogear: 1.25, journal: 1.5 },
  },
  parallel: {
    title: 'turn of 8 parallel calls',
    reply: 'parallel',
    calls: 8,
    turns: 10,
    conversations: 2,
    warmUp: 60,
    share: 1,
    budget: { dogear: 1.3, journal: 1.5 },
  },
  chunks: {
    title: '1,000 chunks',
    reply: 'chunks',
    calls: 0,
    turns: 2,
    conversations: 3,
    warmUp: 8,
    share: 1,
    budget: { dogear: 1.3, journal: 1.5 },
  },
  buffered: {
    title: '1,000 chunks in one piece',
    reply: 'buffered',
    calls: 0,
    turns: 2,
    conversations: 4,
    warmUp: 6,
    share: 1,
    budget: { dogear: 1.3, journal: 1.5 },
  },
  growth: {
    title: 'growth to 400 turns',
    reply: 'tool',
    calls: 1,
    turns: 400,
    conversations: 1,
    warmUp: 0,
    share: 0.0625,
    isGrowth: true,
  },
}
