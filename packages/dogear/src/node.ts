/** What Node has and a page has not. */
export { fileSink, type FileSinkOptions } from './file-sink.ts'
