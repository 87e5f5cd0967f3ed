/** The script tag: reads its own `data-…` attributes, defines the elements, and puts a launcher in the page. */
import { defineElements, mount } from '@dogear/widgets'
import { createTool, DogearError } from '@dogear/core'
import { createAgent, createSmartAgent, type SmartPageAgentOptions } from './agent.ts'
import { connectWith } from './connect.ts'
import { setHostOptions, warn } from './page-client.ts'

type Api = typeof api
type Call = (dogear: Api) => void

const api = { createAgent, createSmartAgent, createTool, defineElements, DogearError, mount, push }

declare global {
  interface Window {
    Dogear?: Api | Call[]
  }
}

function push(...calls: Call[]): void {
  for (const call of calls) call(api)
}

function start(script: HTMLScriptElement | null): void {
  const before = window.Dogear
  if (before && !Array.isArray(before)) {
    warn('The script is on this page twice; the second one does nothing. Remove one of the tags.')
    return
  }
  const { worker, persistentStorage: keep, endpoint, token, model, user, ...look } = { ...script?.dataset }
  const address = script?.src ? new URL(script.src) : undefined
  const defaults: SmartPageAgentOptions = { endpoint: endpoint ?? ownEndpoint(address), token, model, user }
  setHostOptions({
    worker,
    assets: address && new URL('.', address).href,
    persistentStorage: keep === undefined ? keep : keep !== 'false',
  })
  defineElements({ connect: connectWith(defaults) })
  window.Dogear = api
  push(...(before ?? []))
  whenParsed(() => {
    // A page with a chat of its own needs no launcher.
    if (defaults.endpoint !== undefined && !document.querySelector('dogear-chat')) mount({ ...look, user })
  })
}

/** A proxy that serves the script as `/dogear.js` is the endpoint too. */
function ownEndpoint(address: URL | undefined): string | undefined {
  return address?.pathname === '/dogear.js' ? address.origin : undefined
}

function whenParsed(ready: () => void): void {
  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', ready, { once: true })
  else ready()
}

start(document.currentScript instanceof HTMLScriptElement ? document.currentScript : null)
