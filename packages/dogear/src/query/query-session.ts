/** The session a query speaks in: one of its own, one that was begun before, or a copy of that. */
import { DogearError } from '@dogear/core'
import type { Session } from '@dogear/worker'
import type { Agent } from '../agent.ts'
import type { QueryOptions } from './query-options.ts'

/** Throws for options that contradict each other. */
export function checkSessionOptions(options: QueryOptions): void {
  const { sessionId, resume, forkSession, resumeSessionAt, resumeDropsTurn, persistSession } = options
  const goesOn = resume !== undefined || options.continue
  const wrong = (problem: string) => {
    throw new DogearError('input-invalid', `query: ${problem}`)
  }
  if (resume !== undefined && options.continue) wrong('give resume or continue, not both.')
  if (sessionId !== undefined && goesOn && !forkSession) {
    wrong('sessionId names a new session. With resume or continue, give forkSession too, and it names the copy.')
  }
  if (forkSession && !goesOn) wrong('forkSession copies the session of resume or continue: give one of them.')
  if (resumeSessionAt !== undefined && !goesOn)
    wrong('resumeSessionAt is a message of the session of resume or continue.')
  if (resumeDropsTurn !== undefined && resumeSessionAt === undefined)
    wrong('resumeDropsTurn says what resumeSessionAt leaves behind: give both.')
  if (persistSession === false && goesOn) wrong('a session that is not persisted cannot go on with one that is.')
}

export async function openQuerySession(agent: Agent, options: QueryOptions): Promise<Session> {
  const { sessionId, title } = options
  if (sessionId !== undefined && (await agent.sessions.get(sessionId))) {
    throw new DogearError('session-exists', `There is a session "${sessionId}" already. Give resume to go on with it.`)
  }
  const before = await sessionBefore(agent, options)
  const session = await goneOn(agent, options, before)
  try {
    if (before !== undefined) await prepare(session, options)
    if (title !== undefined && session.title.value === undefined) await session.rename(title)
    return session
  } catch (error) {
    session.close()
    throw error
  }
}

async function prepare(session: Session, { forkSession, resumeSessionAt: at, model }: QueryOptions): Promise<void> {
  if (!forkSession && at !== undefined) {
    const { refused } = await session.goto(at, { exact: true })
    if (refused !== undefined) throw new DogearError('input-invalid', `query: resumeSessionAt: ${refused}`)
  }
  // The session keeps its own; who names a model now wants that one.
  if (typeof model === 'string') await session.set({ model })
}

/** The id of the session to go on with. */
async function sessionBefore(agent: Agent, { resume, ...options }: QueryOptions): Promise<string | undefined> {
  if (resume === undefined) return options.continue ? (await agent.sessions.list({ limit: 1 }))[0]?.id : undefined
  if (await agent.sessions.get(resume)) return resume
  throw new DogearError('session-missing', `There is no session "${resume}" of agent "${agent.name}" here to resume.`)
}

async function goneOn(agent: Agent, options: QueryOptions, before: string | undefined): Promise<Session> {
  const { sessionId: id, title, resumeSessionAt: at } = options
  const session = await agent.open(before ?? id ?? 'new')
  if (before === undefined) return session
  try {
    await checkDropped(session, options)
    if (!options.forkSession) return session
    const fork = await session.fork({ at, title, id })
    session.close()
    return fork
  } catch (error) {
    session.close()
    throw error
  }
}

/** More than the turn that is meant would be left: words that joined it, or others nobody had seen yet. */
async function checkDropped(session: Session, { resumeSessionAt: at, resumeDropsTurn: prompt }: QueryOptions) {
  if (at === undefined || prompt === undefined) return
  const after = await idsAfter(session, at)
  // All that a turn says has its id before its own; a prompt's ends with `u`.
  const other = after.find((id) => !id.startsWith(prompt.replace(/u$/, '')))
  if (other === undefined) return
  throw new DogearError(
    'input-invalid',
    `query: resumeDropsTurn: "${other}" comes after "${at}", and is not of that turn.`,
  )
}

async function idsAfter(session: Session, at: string): Promise<readonly string[]> {
  for (;;) {
    const ids = session.messages.value.map(({ id }) => id)
    if (ids.includes(at)) return ids.slice(ids.indexOf(at) + 1)
    await session.loadOlder()
    // Not a message of this session: whoever goes there says so.
    if (session.messages.value.length === ids.length) return []
  }
}
