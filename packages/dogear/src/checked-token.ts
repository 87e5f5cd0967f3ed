/** The token a page gives, unless it is a provider's key: anyone who opens the page could read it. */
import { DogearError, type AgentOptions } from '@dogear/core'

export function checkedToken({ token, dangerouslyAllowBrowser }: AgentOptions): AgentOptions['token'] {
  if (dangerouslyAllowBrowser || isLoopback()) return token
  return typeof token === 'function' ? async () => refuseProviderKey(await token()) : token && refuseProviderKey(token)
}

function refuseProviderKey(token: string): string {
  if (!/^(sk-|sk_|AIza|gsk_|xai-|Bearer sk-)/.test(token)) return token
  throw new DogearError(
    'key-in-page',
    "This token looks like a provider's key, which every visitor could read. Keep it in the proxy (OPENAI_API_KEY) and give the page a token of your own.",
  )
}

function isLoopback(): boolean {
  const host = globalThis.location?.hostname
  return host === undefined || host === '' || host === 'localhost' || host === '127.0.0.1' || host === '[::1]'
}
