/** Chooses who answers by three environment variables: OPENAI_API_KEY, OPENAI_BASE_URL and MODEL. */
import { demoProvider } from './providers/demo/demo.ts'
import { openaiProvider } from './providers/openai/openai.ts'
import type { Provider } from './providers/provider.ts'
import { ProxyError } from './proxy-error.ts'
import type { Models } from './request/aliases.ts'

export interface Environment {
  readonly models: Models
  readonly provider: Provider
  /** Two sentences for the start-up lines: who answers, and how to change it. */
  readonly serves: string
}

const defaultModel = 'gpt-5.4-mini'

export function fromEnv(env: Readonly<Record<string, string | undefined>>): Environment {
  const apiKey = env.OPENAI_API_KEY || undefined
  const baseURL = env.OPENAI_BASE_URL || undefined
  if (apiKey === undefined && baseURL === undefined) return demo(env)

  const model = env.MODEL || defaultModel
  const host = baseURL === undefined ? 'api.openai.com' : hostOf(baseURL)
  const provider = openaiProvider({ apiKey, baseURL })
  const change = env.MODEL ? 'Change it with MODEL and OPENAI_BASE_URL.' : 'MODEL is not set; set it to choose another.'
  return { models: { default: { provider, model } }, provider, serves: `${model} at ${host}. ${change}` }
}

function demo(env: Readonly<Record<string, string | undefined>>): Environment {
  const pace = Number(env.DOGEAR_DEMO_PACE || 'NaN')
  const provider = demoProvider(pace >= 0 ? { pace } : {})
  const serves = 'the demo model: scripted, no key needed. For a real one set OPENAI_API_KEY (and MODEL).'
  return { models: { default: { provider, model: 'demo' } }, provider, serves }
}

/** The host alone: an address may carry a password. */
function hostOf(baseURL: string): string {
  try {
    return new URL(baseURL).host
  } catch {
    throw new ProxyError(
      500,
      'base_url_invalid',
      'OPENAI_BASE_URL is not an address. Set it to one such as http://localhost:11434/v1, or leave it out.',
    )
  }
}
