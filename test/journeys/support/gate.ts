/** A promise the test opens when it is ready: what waits behind it has not happened before. */
export interface Gate {
  readonly passed: Promise<void>
  open(): void
}

export function createGate(): Gate {
  let open = () => {}
  const passed = new Promise<void>((resolve) => (open = resolve))
  return { passed, open: () => open() }
}
