/** Core's pure functions on states, with the time of day. */
import * as core from '@dogear/core'

export function captureSnapshot(state: core.SmartState, options?: core.SnapshotOptions): core.Snapshot {
  return core.captureSnapshot(state, { ...options, at: Date.now() })
}

export function resolveToolApproval(state: core.SmartState, resolution: core.ToolApprovalResolution): core.SmartState {
  return core.resolveToolApproval(state, resolution, { at: Date.now() })
}

export function resolveUserQuestion(state: core.SmartState, resolution: core.UserQuestionResolution): core.SmartState {
  return core.resolveUserQuestion(state, resolution, { at: Date.now() })
}
