/** Failures in the words of `query()`'s callers. */
import type { ErrorCode } from '@dogear/core'
import type { SDKAssistantMessageError } from './sdk-message.ts'

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
