/** Reads a request body as JSON, never more of it than allowed. */
import { ProxyError } from '../proxy-error.ts'

/** Deeper than any tool schema, shallower than what makes a recursive reader overflow its stack. */
const maxDepth = 64

export async function readJson(request: Request, maxBytes: number): Promise<{ text: string; json: unknown }> {
  const text = await readText(request, maxBytes)
  if (text.trim() === '') throw new ProxyError(400, 'body_missing', 'The request has no body. Send JSON.')
  if (isDeeperThan(maxDepth, text))
    throw new ProxyError(400, 'body_too_deep', `The JSON body is nested deeper than ${maxDepth} levels. Flatten it.`)
  try {
    return { text, json: JSON.parse(text) }
  } catch {
    throw new ProxyError(400, 'body_not_json', 'The request body is not valid JSON. Send a chat completion request.')
  }
}

async function readText(request: Request, maxBytes: number): Promise<string> {
  if (Number(request.headers.get('content-length')) > maxBytes) throw tooLarge(maxBytes)
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let text = ''
  let bytes = 0
  try {
    for await (const chunk of request.body ?? []) {
      bytes += chunk.byteLength
      if (bytes > maxBytes) throw tooLarge(maxBytes)
      text += decoder.decode(chunk, { stream: true })
    }
    return text + decoder.decode()
  } catch (error) {
    if (error instanceof ProxyError) throw error
    throw new ProxyError(400, 'body_unreadable', 'The request body broke off or is not UTF-8. Send it again.')
  }
}

function tooLarge(maxBytes: number): ProxyError {
  return new ProxyError(
    413,
    'body_too_large',
    `The request is larger than this proxy accepts (${maxBytes} bytes). Shorten the conversation or its attachments.`,
  )
}

/** Looks at the text, not at the parsed value: the parser is what deep nesting would hurt. */
function isDeeperThan(limit: number, text: string): boolean {
  let depth = 0
  let isString = false
  for (let index = 0; index < text.length; index++) {
    const character = text[index]
    if (isString) {
      if (character === '\\') index++
      else if (character === '"') isString = false
    } else if (character === '"') isString = true
    else if (character === '{' || character === '[') {
      if (++depth > limit) return true
    } else if (character === '}' || character === ']') depth--
  }
  return false
}
