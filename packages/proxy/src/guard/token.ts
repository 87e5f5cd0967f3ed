/** Who is calling: the bearer token, and the subject your own check makes of it. */
import { ProxyError } from '../proxy-error.ts'

export interface Subject {
  /** Names the person: stream keys of one subject mean nothing to another. */
  readonly subject: string
}

export type Authorize = (
  token: string | undefined,
  request: Request,
) => Subject | false | undefined | Promise<Subject | false | undefined>

export async function identify(request: Request, authorize: Authorize | undefined): Promise<Subject> {
  if (authorize === undefined) return { subject: '' }
  const subject = await authorize(bearerOf(request), request)
  if (subject) return subject
  throw new ProxyError(401, 'token_rejected', 'The token is missing or no longer valid. Sign in again and retry.')
}

export function bearerOf(request: Request): string | undefined {
  return /^Bearer (\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1]
}

/** Compares every character, so that the time taken does not tell how many were right. */
export function isSameSecret(given: string | undefined, secret: string): boolean {
  if (given?.length !== secret.length) return false
  let difference = 0
  for (let index = 0; index < secret.length; index++) difference |= given.charCodeAt(index) ^ secret.charCodeAt(index)
  return difference === 0
}
