/**
 * The fields of OpenAI's chat completion request that a page may set.
 *
 * An allow-list: `api_base`, `headers`, `web_search_options`, remote tools and whatever comes next are refused,
 * because a field nobody looked at is how a page would send the key somewhere else (T12). Whoever runs the proxy may
 * have looked at more of them, and names those with the model that takes them.
 */
import * as z from 'zod/mini'
import { ProxyError } from '../proxy-error.ts'

export type ChatRequest = z.output<typeof chatRequest>
export type ChatMessage = ChatRequest['messages'][number]
export type ChatTool = NonNullable<ChatRequest['tools']>[number]

export function parseChatRequest(json: unknown, fields: readonly string[] = []): ChatRequest {
  const result = taking(fields).safeParse(json)
  if (result.success) return result.data
  throw explain(deepest(result.error.issues))
}

const maybe = <T extends z.core.$ZodType>(schema: T) => z.optional(z.nullable(schema))
const jsonObject = z.record(z.string(), z.unknown())
const dataUrl = z.string().check(z.startsWith('data:', 'must be a data: URL; the proxy sends no addresses upstream'))

const textPart = z.strictObject({ type: z.literal('text'), text: z.string(), cache_control: z.optional(jsonObject) })
const refusalPart = z.strictObject({ type: z.literal('refusal'), refusal: z.string() })
const imagePart = z.strictObject({
  type: z.literal('image_url'),
  image_url: z.strictObject({ url: dataUrl, detail: z.optional(z.string()) }),
})
const audioPart = z.strictObject({
  type: z.literal('input_audio'),
  input_audio: z.strictObject({ data: z.string(), format: z.string() }),
})
const filePart = z.strictObject({
  type: z.literal('file'),
  file: z.strictObject({ file_data: dataUrl, filename: z.optional(z.string()) }),
})
const part = z.discriminatedUnion('type', [textPart, refusalPart, imagePart, audioPart, filePart])
const content = z.union([z.string(), z.array(part)])

const toolCall = z.strictObject({
  id: z.string(),
  type: z.literal('function'),
  function: z.strictObject({ name: z.string(), arguments: z.string() }),
  // Signatures some providers want back with the call they made.
  extra_content: z.optional(jsonObject),
})

const name = z.optional(z.string())
const message = z.discriminatedUnion('role', [
  z.strictObject({ role: z.enum(['system', 'developer']), content, name }),
  z.strictObject({ role: z.literal('user'), content, name }),
  z.strictObject({
    role: z.literal('assistant'),
    content: maybe(content),
    name,
    refusal: maybe(z.string()),
    tool_calls: z.optional(z.array(toolCall)),
    reasoning: maybe(z.string()),
    reasoning_content: maybe(z.string()),
    reasoning_details: z.optional(z.array(jsonObject)),
  }),
  z.strictObject({ role: z.literal('tool'), content, tool_call_id: z.string(), name }),
])

const tool = z.strictObject({
  type: z.literal('function'),
  function: z.strictObject({
    name: z.string(),
    description: z.optional(z.string()),
    parameters: z.optional(jsonObject),
    strict: maybe(z.boolean()),
  }),
})

const toolChoice = z.union([
  z.enum(['none', 'auto', 'required']),
  z.strictObject({ type: z.literal('function'), function: z.strictObject({ name: z.string() }) }),
])

const responseFormat = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text') }),
  z.strictObject({ type: z.literal('json_object') }),
  z.strictObject({
    type: z.literal('json_schema'),
    json_schema: z.strictObject({
      name: z.string(),
      description: z.optional(z.string()),
      schema: z.optional(jsonObject),
      strict: maybe(z.boolean()),
    }),
  }),
])

const chatRequest = z.strictObject({
  model: z._default(z.string(), 'default'),
  messages: z.array(message).check(z.minLength(1, 'must hold at least one message')),
  stream: maybe(z.boolean()),
  stream_options: maybe(
    z.strictObject({ include_usage: z.optional(z.boolean()), include_obfuscation: z.optional(z.boolean()) }),
  ),
  tools: z.optional(z.array(tool)),
  tool_choice: z.optional(toolChoice),
  parallel_tool_calls: z.optional(z.boolean()),
  response_format: z.optional(responseFormat),
  max_tokens: maybe(z.int().check(z.positive())),
  max_completion_tokens: maybe(z.int().check(z.positive())),
  temperature: maybe(z.number()),
  top_p: maybe(z.number()),
  top_k: maybe(z.number()),
  min_p: maybe(z.number()),
  presence_penalty: maybe(z.number()),
  frequency_penalty: maybe(z.number()),
  logit_bias: maybe(z.record(z.string(), z.number())),
  logprobs: maybe(z.boolean()),
  top_logprobs: maybe(z.int()),
  // More than one answer would be paid for and never shown.
  n: maybe(z.literal(1)),
  seed: maybe(z.int()),
  stop: maybe(z.union([z.string(), z.array(z.string())])),
  reasoning_effort: maybe(z.string()),
  reasoning: maybe(
    z.strictObject({
      effort: z.optional(z.string()),
      max_tokens: z.optional(z.int()),
      exclude: z.optional(z.boolean()),
      enabled: z.optional(z.boolean()),
    }),
  ),
  verbosity: maybe(z.string()),
  user: z.optional(z.string()),
  safety_identifier: z.optional(z.string()),
  prompt_cache_key: z.optional(z.string()),
  metadata: maybe(z.record(z.string(), z.string())),
  // Hints: a model that does not know them answers without.
  betas: z.optional(z.array(z.string())),
  task_budget: z.optional(z.strictObject({ total: z.int().check(z.positive()) })),
})

function taking(fields: readonly string[]): typeof chatRequest {
  const more = fields.filter((field) => !Object.hasOwn(chatRequest.shape, field))
  if (!more.length) return chatRequest
  // The cast: nobody here reads what is added, so the request's type does not know of it.
  const added = Object.fromEntries(more.map((field) => [field, z.optional(z.unknown())])) as Record<never, never>
  return z.extend(chatRequest, added)
}

type Issue = z.core.$ZodIssue

/** Of a union's many complaints, the one from the branch that came furthest: what the caller most likely meant. */
function deepest(issues: readonly Issue[]): Issue {
  const [first] = issues as [Issue]
  if (first.code !== 'invalid_union' || first.errors.length === 0) return first
  const inner = first.errors.map((branch) => deepest(branch as readonly Issue[]))
  const furthest = inner.reduce((best, issue) => (issue.path.length > best.path.length ? issue : best))
  return { ...furthest, path: [...first.path, ...furthest.path] }
}

function explain(issue: Issue): ProxyError {
  const path = issue.path.map(String)
  if (issue.code === 'unrecognized_keys') {
    const field = [...path, issue.keys[0]].join('.')
    return new ProxyError(400, 'field_not_accepted', `This proxy does not accept the field "${field}". Leave it out.`)
  }
  const isPlain = issue.message === '' || issue.message === 'Invalid input'
  const problem = isPlain ? 'is missing or has the wrong type' : issue.message
  const field = path.length === 0 ? 'body' : `field "${path.join('.')}"`
  return new ProxyError(400, 'request_invalid', `The request's ${field} ${problem}.`)
}
