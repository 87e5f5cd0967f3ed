export { otlpSink, type OtlpSinkOptions } from '@dogear/core/otlp'
