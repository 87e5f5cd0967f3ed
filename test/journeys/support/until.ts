/** Waits for what no locator can see: a line in a ledger, a request to a model, a word in the console. */
export async function until(seen: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const limit = Date.now() + 20_000
  while (!(await seen())) {
    if (Date.now() > limit) throw new Error(`Within 20 s this did not happen: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}
