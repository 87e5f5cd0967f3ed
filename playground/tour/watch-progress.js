/** Tells which steps of the tour have been taken, by what the session shows. */

export function watchProgress(session, steps) {
  let hasAsked = false
  let wasOffline = false

  session.messages.subscribe((messages) => {
    if (messages.some(({ role }) => role === 'assistant')) steps.done('hello')
    if (messages.some(({ meta }) => meta?.resumedAt?.length)) steps.done('reload')
  })
  session.partial.subscribe((partial) => {
    if (partial?.resumedAt?.length) steps.done('reload')
  })
  session.requests.subscribe((requests) => {
    const isAsking = requests.some(({ kind }) => kind === 'approval')
    if (hasAsked && !isAsking) steps.done('booking')
    hasAsked = isAsking
  })
  session.connection.subscribe(({ type }) => {
    if (wasOffline && type === 'online') steps.done('offline')
    wasOffline = type === 'offline'
  })

  const tabs = new BroadcastChannel('playground-tabs')
  tabs.addEventListener('message', ({ data }) => {
    steps.done('tab')
    if (data === 'opened') tabs.postMessage('seen')
  })
  tabs.postMessage('opened')
}
