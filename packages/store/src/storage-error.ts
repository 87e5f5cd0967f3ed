/** The browser's storage errors, as ours: what happened, and what to do next. */
import { DogearError, describeError } from '@dogear/core'

export function toStorageError(error: unknown): DogearError {
  if (error instanceof DogearError) return error
  const name = nameOf(error)
  if (name === 'QuotaExceededError') {
    return new DogearError(
      'storage-full',
      'The browser has no room left for this site. Delete old sessions or free some disk space, then try again.',
      { cause: error },
    )
  }
  if (name === 'SecurityError') return storageUnavailable(error)
  if (name === 'VersionError') {
    return new DogearError('storage-blocked', 'A newer version of this site uses this data. Reload the page.', {
      cause: error,
    })
  }
  return new DogearError(
    'storage-failed',
    `The browser's storage failed: ${describeError(error)}. Try again, and reload the page if it stays so.`,
    { cause: error },
  )
}

export function storageUnavailable(cause?: unknown): DogearError {
  return new DogearError(
    'storage-blocked',
    'This page may not use IndexedDB. Allow site data for this site, and serve the page over http(s), not in a sandboxed frame.',
    { cause },
  )
}

export function storageHeld(): DogearError {
  return new DogearError(
    'storage-blocked',
    "The browser does not let go of this site's storage. Close other tabs of this site, then reload the page.",
  )
}

export function storageCleared(): DogearError {
  return new DogearError('storage-blocked', 'This data was deleted in another tab. Reload the page to start afresh.')
}

export function storageClosed(): DogearError {
  return new DogearError('storage-failed', 'This store is closed. Open it again before using it.')
}

/** WebKit drops the connections of a tab in the background, and every later call on such a connection fails. */
export function isConnectionLost(error: unknown): boolean {
  return ['InvalidStateError', 'UnknownError', 'AbortError'].includes(nameOf(error))
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : ''
}
