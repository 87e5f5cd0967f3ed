/** For code that comes from a compiled executable: no file is hidden in one here, so a path is its own. */
export function extractFromBunfs(path: string): string {
  return path
}
