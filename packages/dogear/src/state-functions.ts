/** Core's pure functions on states, with the time of day. */
import {
  captureSnapshot as capture,
  resolveToolApproval as resolveApproval,
  resolveUserQuestion as resolveQuestion,
  type SmartState,
  type Snapshot,
  type SnapshotOptions,
  type ToolApprovalResolution,
  type UserQuestionResolution,
} from '@dogear/core'

export function captureSnapshot(state: SmartState, options?: SnapshotOptions): Snapshot {
  return capture(state, { ...options, at: Date.now() })
}

export function resolveToolApproval(state: SmartState, resolution: ToolApprovalResolution): SmartState {
  return resolveApproval(state, resolution, { at: Date.now() })
}

export function resolveUserQuestion(state: SmartState, resolution: UserQuestionResolution): SmartState {
  return resolveQuestion(state, resolution, { at: Date.now() })
}
