/** The text of the built worker, put in by the build. */
declare module 'virtual:dogear-worker' {
  const text: string
  export default text
}
