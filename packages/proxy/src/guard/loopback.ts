/** Which names mean this machine. Exact, because `localhost.evil.example` and `127.0.0.1.evil.example` do not. */

const loopbackHost = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i

export function isLoopbackHost(host: string): boolean {
  return loopbackHost.test(host)
}

export function isLoopbackOrigin(origin: string): boolean {
  const [, host] = /^https?:\/\/(.*)$/.exec(origin) ?? []
  return host !== undefined && isLoopbackHost(host)
}
