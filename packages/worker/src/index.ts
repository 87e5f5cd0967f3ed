export { createClient, type Client, type ClientOptions, type HostWire, type Opened } from './client/client.ts'
export { follow, type Followed, type SessionEvent } from './client/follow.ts'
export { portWire, spawnHost, type SpawnOptions } from './client/spawn.ts'
export { type Answers, type Question, type SessionChoice } from './protocol.ts'
export { type RawSession, type SessionInfo, type SessionQuery } from './session-info.ts'
export {
  type Branches,
  type Connection,
  type NamedSnapshot,
  type Session,
  type Turn,
  type TurnResult,
} from './session.ts'
export { createWitness, type Witness, type Witnessed } from './client/witness.ts'
export { createRuns, type Runs, type RunsWire } from './client/runs.ts'
