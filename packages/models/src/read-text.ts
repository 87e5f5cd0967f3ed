/** A body as text, up to a limit: what a server sends must not fill the page's memory. */

export async function readText(response: Response, limit: number): Promise<string> {
  if (!response.body) return ''
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  for (;;) {
    const { done, value } = await reader.read()
    text += decoder.decode(value, { stream: !done })
    if (done) return text
    if (text.length > limit) {
      await reader.cancel()
      return text
    }
  }
}
