export { createClient, type Client, type ClientOptions, type HostWire } from './client/client.ts'
export { portWire, spawnHost, type SpawnOptions } from './client/spawn.ts'
export { type SessionChoice } from './protocol.ts'
export { type Connection, type NamedSnapshot, type Session, type Turn, type TurnResult } from './session.ts'
