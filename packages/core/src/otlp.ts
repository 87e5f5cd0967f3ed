export { otlpSink, type OtlpSinkOptions } from './trace/otlp-sink.ts'
