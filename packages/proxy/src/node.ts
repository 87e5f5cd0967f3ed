export { toNodeListener, type NodeListener } from './serve/node-listener.ts'
export { serve, type ServeOptions, type Served } from './serve/serve.ts'
