/**
 * Sessions as functions, beside `query()`: thin mappings over the same store that `agent.sessions` reads. They need no agent
 * and no endpoint. `user` says whose database, as it does for an agent; `agent` narrows to the sessions of one.
 */
import type { CommandBody } from '@dogear/core'
import type { SessionInfo } from '@dogear/worker'
import { newId, pageClient, type HostOptions } from '../page-client.ts'
import { subagentsIn, toSessionMessage, type SessionMessage } from './session-message.ts'

export interface SessionPlace extends HostOptions {
  /** Whose sessions. Default: those of no user. */
  user?: string
  /** Only of the agent with this name; `query()`'s is `query`, where it has no other. Default: of any. */
  agent?: string
}

export interface SDKSessionInfo {
  readonly sessionId: string
  /** To be shown: the title, else what was said first. */
  readonly summary: string
  readonly lastModified: number
  /** A title that a person has given. */
  readonly customTitle?: string
  readonly firstPrompt?: string
  readonly tag?: string
  readonly createdAt: number
  readonly archived: boolean
  readonly agent: string
}

/** Newest first. By default those that are not archived, 50 at most. */
export async function listSessions(
  options: SessionPlace & { limit?: number; archived?: boolean; tag?: string } = {},
): Promise<SDKSessionInfo[]> {
  const { limit, archived, tag } = options
  const query = { limit, archived, tag }
  const infos = await pageClient(options).ask({ type: 'sessions', ...placeOf(options), query })
  return infos.map(toSessionInfo)
}

export async function getSessionInfo(
  sessionId: string,
  options: SessionPlace = {},
): Promise<SDKSessionInfo | undefined> {
  const info = await pageClient(options).ask({ type: 'session', ...placeOf(options), sessionId })
  return info && toSessionInfo(info)
}

/** The branch that is shown, from its first message, with answers that were cut off; `[]` when there is no such session. */
export async function getSessionMessages(
  sessionId: string,
  options: SessionPlace & Page & { includeSystemMessages?: boolean } = {},
): Promise<SessionMessage[]> {
  if (!(await getSessionInfo(sessionId, options))) return []
  const shown = await pageClient(options).ask({ type: 'messages', ...placeOf(options), sessionId })
  const messages = shown.map((message) => toSessionMessage(message, sessionId))
  const wanted = messages.filter(({ type }) => type !== 'system' || options.includeSystemMessages)
  return pageOf(wanted, options)
}

export async function renameSession(sessionId: string, title: string, options: SessionPlace = {}): Promise<void> {
  await change(sessionId, { type: 'rename', title }, options)
}

/** `null` takes the tag off. */
export async function tagSession(sessionId: string, tag: string | null, options: SessionPlace = {}): Promise<void> {
  await change(sessionId, { type: 'set', settings: { tag } }, options)
}

export async function archiveSession(sessionId: string, options: SessionPlace = {}): Promise<void> {
  await change(sessionId, { type: 'set', settings: { archived: true } }, options)
}

export async function unarchiveSession(sessionId: string, options: SessionPlace = {}): Promise<void> {
  await change(sessionId, { type: 'set', settings: { archived: false } }, options)
}

/** Also when it is open, here or in another tab. None there: no error. */
export async function deleteSession(sessionId: string, options: SessionPlace = {}): Promise<void> {
  const { user, agent } = placeOf(options)
  if (agent !== undefined && !(await getSessionInfo(sessionId, options))) return
  await pageClient(options).delete({ user }, sessionId)
}

/** A copy up to and including a message, under ids of its own; its title is the old one and ` (fork)`, if you give none. */
export async function forkSession(
  sessionId: string,
  options: SessionPlace & { upToMessageId?: string; title?: string } = {},
): Promise<{ sessionId: string }> {
  const { upToMessageId: at, title } = options
  const question = { type: 'fork' as const, ...placeOf(options), sessionId, into: newId(), at, title }
  return { sessionId: await pageClient(options).ask(question) }
}

/** The ids of the agents that worked for its calls, in the order they began. */
export async function listSubagents(sessionId: string, options: SessionPlace = {}): Promise<string[]> {
  return [...(await subagentsOf(sessionId, options)).keys()]
}

export async function getSubagentMessages(
  sessionId: string,
  agentId: string,
  options: SessionPlace & Page = {},
): Promise<SessionMessage[]> {
  return pageOf((await subagentsOf(sessionId, options)).get(agentId) ?? [], options)
}

interface Page {
  limit?: number
  /** How many to leave out, from the first. */
  offset?: number
}

function pageOf<T>(items: readonly T[], { offset = 0, limit = Infinity }: Page): T[] {
  return items.slice(offset, offset + limit)
}

function placeOf({ user, agent }: SessionPlace) {
  return { user, agent }
}

async function change(sessionId: string, body: ChangeBody, options: SessionPlace): Promise<void> {
  const command = { ...body, commandId: newId(), sessionId, at: Date.now() }
  await pageClient(options).ask({ type: 'change', ...placeOf(options), sessionId, command })
}

type ChangeBody = Extract<CommandBody, { type: 'rename' | 'set' }>

async function subagentsOf(sessionId: string, options: SessionPlace): Promise<Map<string, SessionMessage[]>> {
  if (!(await getSessionInfo(sessionId, options))) return new Map()
  const { entries } = await pageClient(options).ask({ type: 'raw', ...placeOf(options), sessionId })
  return subagentsIn(entries, sessionId)
}

function toSessionInfo(info: SessionInfo): SDKSessionInfo {
  const { id, title, titledBy, firstPrompt, tag, createdAt, updatedAt, archived, agent } = info
  return {
    sessionId: id,
    summary: title ?? firstPrompt ?? '',
    lastModified: updatedAt,
    customTitle: titledBy === 'person' ? title : undefined,
    firstPrompt,
    tag,
    createdAt,
    archived,
    agent,
  }
}
