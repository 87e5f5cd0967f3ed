export { fileSink, type FileSinkOptions } from './file-sink.ts'
export { createAgent, createSmartAgent } from './node-agent.ts'
export { nodePorts } from './node-ports.ts'

export {
  cognipeerSink,
  createTool,
  customSink,
  DogearError,
  httpSink,
  type AgentResult,
  type FunctionalAgent,
  type FunctionalOptions,
  type InvokeOptions,
  type SmartState,
  type TraceEvent,
  type TraceSession,
  type TraceSinkConfig,
  type TracingConfig,
} from '@dogear/core'
