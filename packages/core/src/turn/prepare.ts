/** What is done before a step asks its model. Each part looks at the journal for whether it is due, so that a crash repeats none. */
import type { Run } from './run.ts'

export async function prepareStep(_run: Run): Promise<void> {}
