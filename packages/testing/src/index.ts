export { countingIds } from './counting-ids.ts'
export { fakeClock, type FakeClock } from './fake-clock.ts'
export { faulty, type Fault, type FaultyStore } from './faulty.ts'
export { manualNetwork, type ManualNetwork } from './manual-network.ts'
export { memoryLock } from './memory-lock.ts'
export { memoryTransport } from './memory-transport.ts'
export {
  call,
  cut,
  end,
  fail,
  forever,
  pause,
  refuse,
  retry,
  say,
  think,
  usage,
  type Answer,
  type Beat,
} from './script.ts'
export { smallDisk, type SmallDisk } from './small-disk.ts'
export { scriptedModel, type Script, type ScriptedModel, type ScriptedModelOptions } from './scripted-model.ts'
