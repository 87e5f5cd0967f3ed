/** Simulator threads: jobs go to whichever is free. */

import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'

/** Most of what a run makes dies with it: a young generation that holds it is never copied. */
const resourceLimits = { maxYoungGenerationSizeMb: 64 }

/** Whatever a killed tab waited for is waited for as long as its thread lives. */
const jobsOfThread = 100

export function createPool(file, size = availableParallelism()) {
  const threads = new Set()
  const free = Array.from({ length: size }, fresh)
  const waiting = []

  function fresh() {
    const thread = Object.assign(new Worker(file, { resourceLimits }), { jobs: 0 })
    threads.add(thread)
    return thread
  }

  function retire(thread) {
    threads.delete(thread)
    void thread.terminate()
    return fresh()
  }

  function next() {
    while (free.length && waiting.length) start(free.pop(), waiting.shift())
  }

  function start(thread, { job, resolve, reject }) {
    const { isCancelled, ...posted } = job
    const end = (result) => {
      thread.off('error', reject)
      thread.jobs += 1
      free.push(thread.jobs < jobsOfThread ? thread : retire(thread))
      resolve(result)
      next()
    }
    if (isCancelled?.()) return end({ failures: [], reports: [] })
    thread.once('message', end)
    thread.once('error', reject)
    thread.postMessage(posted)
  }

  return {
    /** A job that `isCancelled` when its turn comes is not started. */
    run: (job) =>
      new Promise((resolve, reject) => {
        waiting.push({ job, resolve, reject })
        next()
      }),
    close: () => Promise.all([...threads].map((thread) => thread.terminate())),
  }
}
