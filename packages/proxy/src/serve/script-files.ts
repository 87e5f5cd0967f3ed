/** The widget's script files, as the build laid them beside this package. */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ProxyError } from '../proxy-error.ts'

export interface ScriptFiles {
  owns(pathname: string): boolean
  answer(request: Request): Response
}

interface ScriptFile {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly etag: string
}

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
}

/** Read once, at the start: a request never becomes a path on this disk. */
export async function openScriptFiles(folder = assetsFolder()): Promise<ScriptFiles> {
  const files = await readAll(folder)
  return {
    owns: (pathname) => files.has(pathname) || pathname === '/dogear.js' || pathname === '/dogear-worker.js',
    answer(request) {
      const { pathname } = new URL(request.url)
      const file = files.get(pathname)
      if (file === undefined)
        throw new ProxyError(
          404,
          'script_not_built',
          'The script is not part of this package yet. Build it: npm run build.',
        )
      const headers = headersOf(pathname, file)
      const isKnown = request.headers.get('if-none-match') === file.etag
      return isKnown ? new Response(null, { status: 304, headers }) : new Response(file.bytes, { headers })
    },
  }
}

async function readAll(folder: string): Promise<ReadonlyMap<string, ScriptFile>> {
  const names = existsSync(folder) ? await readdir(folder) : []
  const entries = names
    .filter((name) => extname(name) in types)
    .map(async (name) => [`/${name}`, await readScript(join(folder, name))] as const)
  return new Map(await Promise.all(entries))
}

async function readScript(path: string): Promise<ScriptFile> {
  const bytes = new Uint8Array(await readFile(path))
  return { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url')}"` }
}

/** Open to every page, unlike the API: a script tag with `integrity` and `crossorigin` needs it, and it holds no secret. */
function headersOf(pathname: string, { etag }: ScriptFile): Record<string, string> {
  return {
    'content-type': types[extname(pathname)] ?? 'application/octet-stream',
    'cache-control': 'public, no-cache',
    etag,
    'access-control-allow-origin': '*',
    'cross-origin-resource-policy': 'cross-origin',
    'x-content-type-options': 'nosniff',
  }
}

/** `dist/assets` of this package, from wherever in it this module was bundled to. */
function assetsFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(folder, 'package.json')) && folder !== dirname(folder)) folder = dirname(folder)
  return join(folder, 'dist', 'assets')
}
