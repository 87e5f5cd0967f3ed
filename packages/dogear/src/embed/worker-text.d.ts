/** The text of the built worker, in parts, put in by the build. */
declare module 'virtual:dogear-worker' {
  const text: readonly string[]
  export default text
}
