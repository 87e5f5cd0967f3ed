/** In the page before any script of its own: whatever a payload would call leaves a trace. */
export function layWires(): void {
  const traces: string[] = []
  const trip = (name: string) => () => void traces.push(name)
  const wires = { alert: trip('alert'), confirm: trip('confirm'), prompt: trip('prompt'), print: trip('print') }
  Object.assign(window, wires, { eval: trip('eval'), open: trip('open'), fetch: trip('fetch'), traces })
  Object.assign(navigator, { sendBeacon: trip('sendBeacon') })
  XMLHttpRequest.prototype.open = trip('XMLHttpRequest')
  document.addEventListener('securitypolicyviolation', (event) => traces.push(`policy: ${event.violatedDirective}`))
}
