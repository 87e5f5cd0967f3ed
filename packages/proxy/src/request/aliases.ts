/** A page names an alias; what stands behind it, and how much it may write, is decided here. */
import type { Provider, ProviderRequest } from '../providers/provider.ts'
import { ProxyError } from '../proxy-error.ts'
import type { ChatRequest } from './chat-request.ts'

export interface ModelAlias {
  /** Who answers. Without it, the one the environment names. */
  readonly provider?: Provider
  /** The provider's own name of the model. */
  readonly model: string
  /** The most tokens one answer may have, whatever the page asks for. */
  readonly maxTokens?: number
  /** Further fields that a page may send to this model, as they are. `betas` and `task_budget` are left out unless they are named. */
  readonly fields?: readonly string[]
}

export type Models = Readonly<Record<string, ModelAlias>>

export function findAlias<Alias extends ModelAlias>(models: Readonly<Record<string, Alias>>, name: string): Alias {
  const alias = Object.hasOwn(models, name) ? models[name] : undefined
  if (alias !== undefined) return alias
  const known = Object.keys(models).join(', ')
  throw new ProxyError(404, 'model_not_found', `This proxy has no model of that name. It offers: ${known}.`)
}

/** The `fields` of the model that a page names, before anything else of its request is looked at. */
export function fieldsFor(models: Models, json: unknown): readonly string[] | undefined {
  const { model = 'default' } = Object(json) as { model?: unknown }
  return typeof model === 'string' && Object.hasOwn(models, model) ? models[model]?.fields : undefined
}

export function forProvider(request: ChatRequest, alias: ModelAlias): ProviderRequest {
  const { max_tokens, max_completion_tokens, ...rest } = request
  // Servers refuse what they do not know.
  for (const hint of ['betas', 'task_budget'] as const) if (!alias.fields?.includes(hint)) delete rest[hint]
  const limits = [max_completion_tokens ?? max_tokens, alias.maxTokens].filter((limit) => typeof limit === 'number')
  return { ...rest, model: alias.model, maxTokens: limits.length === 0 ? undefined : Math.min(...limits) }
}

/** OpenAI's model list, with the aliases alone: the real names are nobody's business. */
export function listModels(models: Models): object {
  const data = Object.keys(models).map((id) => ({ id, object: 'model', created: 0, owned_by: 'dogear' }))
  return { object: 'list', data }
}
