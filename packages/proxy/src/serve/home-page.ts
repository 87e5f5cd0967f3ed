/** The page at `/`: what this is, the tag to copy, and the widget itself, alive. */

export function homePage(tag: string): Response {
  // Loaded by path: the page may have been opened as localhost while the tag says 127.0.0.1.
  const script = tag.replace(/src="[^"]*"/, 'src="/dogear.js"')
  return new Response(page(escapeHtml(tag), script), {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      // The page holds the token: no other page may frame it and have it clicked.
      'content-security-policy': "frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    },
  })
}

function page(shownTag: string, script: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Dogear proxy</title>
<link rel="icon" href="data:,">
<style>
  :root { color-scheme: light dark; }
  body { font: 16px/1.6 system-ui, sans-serif; max-width: 38rem; margin: 12vh auto; padding: 0 1.25rem; }
  h1 { font-size: 1.5rem; }
  pre { padding: 1rem; border: 1px solid color-mix(in srgb, currentColor 20%, transparent); border-radius: 8px; white-space: pre-wrap; overflow-wrap: anywhere; }
</style>
<h1>The proxy is running</h1>
<p>It keeps the provider's key and answers the agents in your pages. Paste this tag into any page on this machine:</p>
<pre><code>${shownTag}</code></pre>
<p>The same agent is alive on this page. Open it and say <em>plan a weekend in Lisbon</em>.</p>
${script}
</html>
`
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
