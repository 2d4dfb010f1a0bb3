export { cpuField, createCpuEngine } from './engine.js'
export { PathReplay } from './replay.js'
export { rowTasks, runSbrTask } from './task.js'
export { TileTracer } from './tile.js'
