declare module 'commonmark-spec' {
  export const tests: readonly { number: number; section: string; markdown: string; html: string }[]
}
