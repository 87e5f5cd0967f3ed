/** Elicitation: a form that a tool wants filled in, or an address that it wants a person to go to. */
import { DogearError } from '../error.ts'
import type { JsonSchema } from '../tools/json-schema.ts'
import type { Resolution } from './request.ts'

/** What a tool wants: data that fits `requestedSchema`, an object's, or that the person goes to `url`. */
export type Elicited =
  | { readonly message: string; readonly requestedSchema: JsonSchema; readonly url?: undefined }
  | { readonly message: string; readonly url: string; readonly requestedSchema?: undefined }

export interface ElicitationResult {
  /** `decline`: they said no; `cancel`: they chose not to answer. */
  readonly action: 'accept' | 'decline' | 'cancel'
  /** What a form was filled in with: it fits the schema. */
  readonly content?: Readonly<Record<string, unknown>>
}

export interface ElicitationRequest {
  readonly mode: 'form' | 'url'
  readonly message: string
  readonly requestedSchema?: JsonSchema
  readonly url?: string
  readonly toolName: string
  readonly toolUseID: string
  /** Of the Request that is raised if this decides nothing. */
  readonly requestId: string
}

/** Asked before a person is: it may answer in their place, or leave it to them with nothing. */
export type OnElicitation = (
  request: ElicitationRequest,
  options: { readonly signal: AbortSignal },
) => ElicitationResult | null | undefined | void | Promise<ElicitationResult | null | undefined | void>

/** Throws, so that the tool learns of it, what nobody could or should be shown. */
export function checkedElicited({ message, requestedSchema, url }: Elicited): Elicited {
  const wrong = (problem: string) => new DogearError('request-invalid', `ctx.elicit: ${problem}`)
  if (typeof message !== 'string' || !message.trim()) throw wrong('message must say what is wanted.')
  if (url === undefined) {
    if (requestedSchema?.type === 'object') return { message, requestedSchema }
    throw wrong("give requestedSchema, an object's ({ type: 'object', properties: { … } }), or a url.")
  }
  if (requestedSchema) throw wrong('give requestedSchema or url, not both.')
  if (!isWebAddress(url)) throw wrong(`url must begin with https:// or http://; got ${JSON.stringify(url)}.`)
  return { message, url }
}

/** Anything else, such as `javascript:`, would run where it is opened. */
export function isWebAddress(url: unknown): boolean {
  return typeof url === 'string' && /^https?:\/\/[^\s/]/i.test(url)
}

export function elicitedBy(resolution: Resolution): ElicitationResult {
  if (resolution.type !== 'fill') return { action: resolution.type === 'cancel' ? 'cancel' : 'decline' }
  const { content } = resolution
  return { action: 'accept', ...(content && { content }) }
}
