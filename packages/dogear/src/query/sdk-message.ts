/** The messages `query()` yields. The set grows: ignore types you do not know. */
import type { TerminalReason } from '@dogear/core'

export type SDKMessage =
  | SDKSystemMessage
  | SDKAssistantMessage
  | SDKUserMessage
  | SDKToolProgressMessage
  | SDKRateLimitEvent
  | SDKPartialAssistantMessage
  | SDKResultMessage
  | SDKCompactBoundaryMessage
  | SDKStatusMessage
  | SDKAPIRetryMessage
  | SDKSessionStateChangedMessage
  | SDKPermissionDeniedMessage
  | SDKHookStartedMessage
  | SDKHookResponseMessage
  | SDKElicitationCompleteMessage
  | SDKTaskStartedMessage
  | SDKTaskProgressMessage
  | SDKTaskUpdatedMessage
  | SDKTaskNotificationMessage

interface Envelope {
  readonly uuid: string
  readonly session_id: string
}

/** The first message of a query. */
export interface SDKSystemMessage extends Envelope {
  readonly type: 'system'
  readonly subtype: 'init'
  readonly agents: readonly string[]
  readonly model: string
  readonly tools: readonly string[]
  readonly permissionMode: string
  readonly mcp_servers: readonly []
  readonly slash_commands: readonly []
}

export type ContentBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: unknown }

export interface SDKAssistantMessage extends Envelope {
  readonly type: 'assistant'
  readonly message: {
    readonly id: string
    readonly type: 'message'
    readonly role: 'assistant'
    readonly model: string
    readonly content: readonly ContentBlock[]
    readonly stop_reason: string | null
    readonly stop_sequence: null
    readonly usage: SDKUsage
  }
  /** The call that this agent works for; null for the query's own. */
  readonly parent_tool_use_id: string | null
  readonly error?: SDKAssistantMessageError
}

export type SDKAssistantMessageError =
  | 'authentication_failed'
  | 'oauth_org_not_allowed'
  | 'billing_error'
  | 'rate_limit'
  | 'invalid_request'
  | 'model_not_found'
  | 'server_error'
  | 'max_output_tokens'
  | 'unknown'

export interface ToolResultBlock {
  readonly type: 'tool_result'
  readonly tool_use_id: string
  readonly content: string
  readonly is_error?: boolean
}

/** What the person said, or what tools gave back. */
export interface SDKUserMessage extends Envelope {
  readonly type: 'user'
  readonly message: { readonly role: 'user'; readonly content: string | readonly ToolResultBlock[] }
  readonly parent_tool_use_id: string | null
  /** True for what the loop itself made. */
  readonly isSynthetic?: boolean
  /** True for what the prompt said: told again, once it is kept. */
  readonly isReplay?: boolean
}

/** A call has begun to run. */
export interface SDKToolProgressMessage extends Envelope {
  readonly type: 'tool_progress'
  readonly tool_use_id: string
  readonly tool_name: string
  readonly parent_tool_use_id: string | null
  readonly elapsed_time_seconds: number
}

/** The provider is asked too often; `api_retry` follows. */
export interface SDKRateLimitEvent extends Envelope {
  readonly type: 'rate_limit_event'
  /** `resetsAt`: when it is asked again, in seconds since 1970. */
  readonly rate_limit_info: { readonly status: 'rejected'; readonly resetsAt: number }
}

/** With `includePartialMessages`: the answer as it streams. */
export interface SDKPartialAssistantMessage extends Envelope {
  readonly type: 'stream_event'
  readonly event: StreamEvent
  readonly parent_tool_use_id: string | null
}

export type StreamEvent =
  | { readonly type: 'message_start'; readonly message: { readonly id: string; readonly role: 'assistant' } }
  | { readonly type: 'content_block_start'; readonly index: number; readonly content_block: ContentBlock }
  | { readonly type: 'content_block_delta'; readonly index: number; readonly delta: BlockDelta }
  | { readonly type: 'content_block_stop'; readonly index: number }
  | { readonly type: 'message_stop' }

export type BlockDelta =
  | { readonly type: 'text_delta'; readonly text: string }
  | { readonly type: 'thinking_delta'; readonly thinking: string }
  | { readonly type: 'input_json_delta'; readonly partial_json: string }

export interface SDKUsage {
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cache_creation_input_tokens: number | null
  readonly cache_read_input_tokens: number | null
  /** Unknown behind the chat-completions wire, like all that follow. */
  readonly cache_creation: null
  readonly server_tool_use: null
  readonly service_tier: null
  readonly speed: null
  readonly inference_geo: null
  readonly iterations: null
}

export interface SDKModelUsage {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cacheReadInputTokens: number
  readonly cacheCreationInputTokens: number
  readonly costUSD: number
}

export interface SDKPermissionDenial {
  readonly tool_name: string
  readonly tool_use_id: string
  readonly tool_input: unknown
}

/** The last message of a turn: exactly one. */
export type SDKResultMessage = Envelope & {
  readonly type: 'result'
  readonly duration_ms: number
  /** Time spent waiting for the model. */
  readonly duration_api_ms: number
  readonly is_error: boolean
  /** HTTP status of the failure that ended the turn. */
  readonly api_error_status?: number | null
  /** Model requests. */
  readonly num_turns: number
  readonly stop_reason: string | null
  /** By your `costEstimator`, all turns of this query; 0 without one. */
  readonly total_cost_usd: number
  /** Of this turn's own model requests. */
  readonly usage: SDKUsage
  /** Of all turns and agents: read the latest, do not add them up. */
  readonly modelUsage: Readonly<Record<string, SDKModelUsage>>
  readonly permission_denials: readonly SDKPermissionDenial[]
  readonly terminal_reason: TerminalReason | 'tool_deferred'
  /** With `tool_deferred`: the first call that a hook left to somebody else. The session waits; open it to go on. */
  readonly deferred_tool_use?: { readonly id: string; readonly name: string; readonly input: unknown }
  readonly origin: { readonly kind: 'human' }
} & (
    | {
        readonly subtype: 'success'
        readonly result: string
        readonly ttft_ms?: number
        readonly structured_output?: unknown
      }
    | {
        readonly subtype:
          'error_during_execution' | 'error_max_turns' | 'error_max_budget_usd' | 'error_max_structured_output_retries'
        readonly errors: readonly string[]
      }
  )

export interface SDKCompactBoundaryMessage extends Envelope {
  readonly type: 'system'
  readonly subtype: 'compact_boundary'
  readonly compact_metadata: {
    readonly trigger: 'manual' | 'auto'
    readonly pre_tokens: number
    readonly post_tokens: number
  }
}

export interface SDKStatusMessage extends Envelope {
  readonly type: 'system'
  readonly subtype: 'status'
  readonly status: 'requesting' | null
}

/** The model is asked again: its answer broke off, the server is out of reach or refuses the token, or a fallback is tried. */
export interface SDKAPIRetryMessage extends Envelope {
  readonly type: 'system'
  readonly subtype: 'api_retry'
  /** From 1 on, for each message of the prompt. */
  readonly attempt: number
  /** Null where it is tried until it works. */
  readonly max_retries: number | null
  /** Null where that depends on the network, or on a new token. */
  readonly retry_delay_ms: number | null
  /** Of the answer that failed; null when there was none. */
  readonly error_status: number | null
  readonly error: SDKAssistantMessageError
}

export interface SDKSessionStateChangedMessage extends Envelope {
  readonly type: 'system'
  readonly subtype: 'session_state_changed'
  readonly state: 'idle' | 'running' | 'requires_action'
}

/** Advisory: `permission_denials` of the result is what counts. */
export interface SDKPermissionDeniedMessage extends Envelope {
  readonly type: 'system'
  readonly subtype: 'permission_denied'
  readonly tool_name: string
  readonly tool_use_id: string
  readonly reason: string
}

/** Somebody went to the address that a tool wanted them to go to, as `onElicitation` or a hook says. */
export interface SDKElicitationCompleteMessage extends Envelope {
  readonly type: 'system'
  readonly subtype: 'elicitation_complete'
  readonly elicitation_id: string
  readonly tool_use_id: string
}

interface HookMessage extends Envelope {
  readonly type: 'system'
  readonly hook_id: string
  readonly hook_name: string
  readonly hook_event: string
}

/** With `includeHookEvents`. */
export interface SDKHookStartedMessage extends HookMessage {
  readonly subtype: 'hook_started'
}

export interface SDKHookResponseMessage extends HookMessage {
  readonly subtype: 'hook_response'
  /** What it said, as JSON, or why it failed. */
  readonly output: string
  readonly outcome: 'success' | 'error'
}

interface TaskUsage {
  readonly total_tokens: number
  readonly tool_uses: number
  readonly duration_ms: number
}

/** An agent began to work for a call. */
export interface SDKTaskStartedMessage extends Envelope {
  readonly type: 'system'
  readonly subtype: 'task_started'
  readonly task_id: string
  readonly tool_use_id: string
  readonly description: string
  readonly subagent_type: string
}

export interface SDKTaskProgressMessage extends Envelope {
  readonly type: 'system'
  readonly subtype: 'task_progress'
  readonly task_id: string
  readonly tool_use_id: string
  readonly description: string
  readonly subagent_type: string
  readonly usage: TaskUsage
  readonly last_tool_name?: string
  /** With `agentProgressSummaries`. */
  readonly summary?: string
}

/** The last of a task; its `task_notification` follows. */
export interface SDKTaskUpdatedMessage extends Envelope {
  readonly type: 'system'
  readonly subtype: 'task_updated'
  readonly task_id: string
  readonly patch: { readonly status: 'completed' | 'failed' | 'killed'; readonly end_time: number }
}

export interface SDKTaskNotificationMessage extends Envelope {
  readonly type: 'system'
  readonly subtype: 'task_notification'
  readonly task_id: string
  readonly tool_use_id: string
  readonly status: 'completed' | 'failed' | 'stopped'
  readonly summary: string
  readonly usage: TaskUsage
}
