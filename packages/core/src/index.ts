export {
  DogearError,
  describeError,
  fromErrorData,
  isAbort,
  toErrorData,
  type ErrorCode,
  type ErrorData,
} from './error.ts'

export {
  defineAgent,
  smartOptions,
  type AgentDefinition,
  type AskUserOptions,
  type FinishedTurn,
  type TurnDecision,
  type AgentOptions,
  type CostQuestion,
  type SessionRetention,
  type SmartAgentOptions,
} from './agents/agent.ts'
export {
  type AgentLimits,
  type BuiltInRuntimeProfile,
  type CustomProfile,
  type ProfileOptions,
  type ResolvedLimits,
  type ResolvedProfile,
  type RuntimeProfile,
} from './smart/profile.ts'
export { countApproxTokens } from './smart/tokens.ts'
export { agentsOf } from './agents/agents-of.ts'
export { asTool, type AsToolOptions } from './agents/as-tool.ts'
export { asHandoff, type AsHandoffOptions } from './agents/handoff.ts'
export { linkAgents, type UnlinkedAgent, type UnlinkedTool } from './agents/link-agents.ts'
export { type SubagentDefinition, type SubagentOptions, type SubagentPolicy } from './agents/subagents.ts'
export {
  createAgent,
  createSmartAgent,
  functionalAgent,
  runInPlace,
  type AgentPorts,
  type FunctionalAgent,
  type FunctionalOptions,
} from './agents/create-agent.ts'
export { adaptModel, type InvokableModel } from './agents/adapt-model.ts'
export { type AgentResult, type CancellationToken, type InvokeOptions } from './agents/invoke-config.ts'
export { type Job, type Runner } from './agents/invoke-state.ts'
export { runInMemory, type MemoryRun } from './agents/run-in-memory.ts'
export {
  createTool,
  labelText,
  type CachePolicy,
  type Effect,
  type InputRetention,
  type OutputRetention,
  type Retention,
  type RetryPolicy,
  type Tool,
  type ToolContext,
  type ToolLabel,
  type ToolOptions,
  type UndoContext,
  type Validated,
} from './tools/tool.ts'
export { type Asking, type Asks, type Told } from './tools/asking.ts'
export { type JsonSchema } from './tools/json-schema.ts'
export { type StandardSchema } from './tools/schema.ts'

export {
  entryTypes,
  entryVersion,
  isEntryType,
  newerSession,
  type CallRequest,
  type CallResult,
  type Entry,
  type EntryBody,
  type EntryOf,
  type EntryType,
  type Envelope,
  type Queued,
  type When,
  type TerminalReason,
  type TurnOrigin,
} from './session/entry.ts'
export {
  isCut,
  isFromPerson,
  stopReasonOf,
  textOf,
  toParts,
  type ContentPart,
  type Message,
  type MessageMeta,
  type MessageStatus,
  type Part,
  type Role,
  type ToolCall,
  type ToolOutcome,
} from './session/message.ts'
export { type AddedMessage, type Choices, type Command, type CommandBody } from './session/command.ts'
export { emptyPartial, type Partial, type PartialCall } from './session/partial.ts'
export {
  captureSnapshot,
  driftOf,
  migrated,
  restoreSnapshot,
  type Drift,
  type RestoreOptions,
  type RuntimeHint,
  type SessionPart,
  type Snapshot,
  type SnapshotOptions,
} from './session/snapshot.ts'
export { importState, type ImportedState } from './session/import-state.ts'
export { normalizeUsage, toModelUsage } from './session/normalize-usage.ts'
export { normalMessages } from './session/normal-messages.ts'
export { pendingOf } from './session/pending.ts'
export { setState, type StateChange } from './session/set-state.ts'
export { validateMessages, type MessagesCheck } from './session/validate-messages.ts'
export {
  type MessageInput,
  type NormalizedUsage,
  type PendingToolApproval,
  type PendingUserQuestion,
  type PlanStepRecord,
  type SmartState,
  type SmartUsage,
  type SummaryRecord,
  type ToolCallInput,
  type ToolExecution,
  type UserQuestionAnswer,
  type UserQuestionAnswerSet,
  type UserQuestionItem,
  type UserQuestionOption,
} from './session/smart-state.ts'
export {
  matcherOf,
  type HookCallback,
  type HookEvent,
  type HookInput,
  type HookMatcher,
  type HookOutput,
  type Hooks,
  type PostToolUse,
  type PostToolUseInput,
  type PostToolUseOutput,
} from './permission/hooks.ts'
export {
  type CanUseTool,
  type CanUseToolOptions,
  type PermissionDestination,
  type PermissionResult,
  type PermissionRule,
  type PermissionUpdate,
} from './permission/can-use-tool.ts'
export {
  type ElicitationRequest,
  type ElicitationResult,
  type Elicited,
  type OnElicitation,
} from './permission/elicitation.ts'
export { decide, type CallQuestion, type HookDecision, type Rules, type Verdict } from './permission/decide.ts'
export { checkMode, type PermissionMode } from './permission/mode.ts'
export { type PermissionOptions, type Permissions } from './permission/permissions.ts'
export { parseRule } from './permission/rule.ts'
export {
  resolveToolApproval,
  resolveUserQuestion,
  type ToolApprovalResolution,
  type UserQuestionResolution,
} from './permission/resolvers.ts'
export { type PlanEvent, type ReflectionEvent, type SmartAgentEvent, type UserQuestionEvent } from './trace/event.ts'
export {
  begunElsewhere,
  type Decision,
  type Head,
  type Node,
  type Intent,
  type OpenCall,
  type OpenTurn,
  type PermissionDenial,
  type Place,
  type Rewound,
  type RewoundCall,
  type RuleSet,
  type Scope,
  type Settings,
  type Status,
  type Usage,
  type UsageTotal,
  type Waiting,
} from './session/state.ts'
export {
  type Answer,
  type Answers,
  type Question,
  type QuestionOption,
  type Request,
  type RequestKind,
  type RequestStatus,
  type Resolution,
} from './permission/request.ts'
export { type Plan, type PlanEdit, type PlanStep, type PlanStepStatus } from './smart/plan.ts'
export { type ReasoningConfig, type ReasoningLevel } from './smart/reasoning.ts'
export { type ReflectionCadence, type ReflectionRecord } from './smart/reflection.ts'
export { type OutputConfig, type OutputOption } from './smart/output.ts'
export {
  guardrailSlice,
  type GuardrailInput,
  type GuardrailOptions,
  type GuardrailPhase,
  type GuardrailResult,
  type GuardrailSlice,
  type GuardrailsOption,
  type GuardrailVerdict,
} from './smart/guardrail.ts'
export { readPartialJson } from './tools/partial-json.ts'

export { type CompactionRecord } from './smart/compaction.ts'
export { type MemoryFact, type MemoryScope } from './smart/memory.ts'
export { type MemoryOptions } from './smart/memory-options.ts'
export { createMemory, type FactRows } from './smart/memory-store.ts'
export { type Integrity, type StructuredSummary, type SummaryFact, type SummaryUsage } from './smart/summary.ts'

export { type Clock } from './ports/clock.ts'
export { type Hash } from './ports/hash.ts'
export { type Ids } from './ports/ids.ts'
export { type Held, type Lock } from './ports/lock.ts'
export { type MemoryStore, type NewFact } from './ports/memory.ts'
export {
  type FinishReason,
  type Model,
  type ModelEvent,
  type ModelOptions,
  type ModelRequest,
  type ModelTool,
  type ModelUsage,
} from './ports/model.ts'
export { type Network } from './ports/network.ts'
export {
  type Batch,
  type InboxRow,
  type RuleRecord,
  type SessionPlace,
  type SessionRecord,
  type SideKind,
  type SnapshotRecord,
  type Store,
} from './ports/store.ts'
export { type Channel, type Transport } from './ports/transport.ts'

export { emptyHead, foldOf, pathOf, statusOf, type Fold } from './session/fold.ts'
export { readAbandoned, undoOf } from './session/abandoned.ts'
export { forkEntries, type ForkOptions } from './session/fork.ts'
export {
  openJournal,
  unplaced,
  type Beside,
  type Journal,
  type JournalOptions,
  type NewEntries,
  type NewEntry,
} from './session/journal.ts'
export { makeRoom } from './session/room.ts'
export { bodyOf } from './session/body.ts'
export { reduce } from './session/reduce.ts'
export { readTree, scopeOf, type Tree } from './session/tree.ts'
export { treeEntries, type TreeEntry } from './session/tree-entries.ts'
export { summaryRecord } from './session/state-records.ts'
export { callTool, resultLimit, type CallContext, type CallReply } from './tools/result.ts'
export { spellOut } from './tools/spell-out.ts'
export {
  entryInPlaceOf,
  badField,
  isCommand,
  isEntry,
  isHead,
  isPartial,
  isPlan,
  isRuleRecord,
  isSessionRecord,
  lostMessage,
  readableFacts,
  unreadableField,
} from './session/check-record.ts'
export { changeEntry, isChange, type Change } from './turn/change.ts'
export { endOfStep, nodeNamed, refuseUnlessIdle } from './turn/branch.ts'
export { createDriver, type Driver, type DriverOptions } from './turn/driver.ts'
export { isQueueHeld } from './turn/queue.ts'
export { activeAgent } from './agents/active-agent.ts'
export {
  callsBefore,
  callsFor,
  reportId,
  runForOwner,
  toolSought,
  type CallAt,
  type Elsewhere,
} from './turn/elsewhere.ts'
export { pageOf, type Authority, type Page } from './turn/page.ts'
export type { Sought } from './turn/sought.ts'
export { argsOf } from './turn/recover.ts'
export { mayHaveRun } from './turn/stop.ts'
export { rewoundCall } from './turn/rewind.ts'
export type { Checkpoint } from './turn/checkpoint.ts'
export { runAgentOf, type RunAgent, type RunTool, type Stage } from './turn/run.ts'

export { cognipeerSink, httpSink, type CognipeerSinkOptions, type HttpSinkOptions } from './trace/http-sink.ts'
export { customSink, type CustomSinkOptions, type TraceSink, type TraceSinkConfig } from './trace/sink.ts'
export {
  type TraceEvent,
  type TraceEventType,
  type TraceSession,
  type TraceSummary,
  type TraceUsage,
} from './trace/trace-session.ts'
export { tracedRun, type TracedJob } from './trace/traced-run.ts'
export { createTracer, type TracedRun, type TracePlatform, type Tracer, type TracingConfig } from './trace/tracer.ts'
