/** Failures in the words of `query()`'s callers. */
import type { EntryOf, ErrorCode } from '@dogear/core'
import type { SDKAssistantMessageError, SDKResultMessage } from './sdk-message.ts'

export function errorClass(code: ErrorCode): SDKAssistantMessageError {
  return classes[code] ?? 'unknown'
}

const classes: { readonly [Code in ErrorCode]?: SDKAssistantMessageError } = {
  'token-refused': 'authentication_failed',
  forbidden: 'authentication_failed',
  'quota-exceeded': 'billing_error',
  'rate-limited': 'rate_limit',
  'input-invalid': 'invalid_request',
  'model-unknown': 'model_not_found',
  'model-failed': 'server_error',
  'bad-response': 'server_error',
  'stream-cut': 'server_error',
  network: 'server_error',
}

export function subtypeOf(reason: EntryOf<'turn-end'>['terminalReason']): SDKResultMessage['subtype'] {
  switch (reason) {
    case 'max_turns':
      return 'error_max_turns'
    case 'max_cost':
      return 'error_max_budget_usd'
    case 'structured_output_retry_exhausted':
      return 'error_max_structured_output_retries'
    case 'model_error':
    case 'prompt_too_long':
    case 'aborted_streaming':
    case 'aborted_tools':
      return 'error_during_execution'
    default:
      return 'success'
  }
}
