/** What the terminal shows at the start: where, who answers, one tag to copy, one thing to try. */

export function banner({ url, tag, serves }: { url: string; tag: string; serves: string }): string {
  return `Dogear proxy on ${url}
Answers with ${serves}

Paste this into a page:

  ${tag}

Or open ${url}/ and say "plan a weekend in Lisbon". Ctrl-C stops it.`
}
