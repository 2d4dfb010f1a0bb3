export { cpuField, createCpuEngine, sumBytes, TASK_TUBES } from './engine.js'
export { conductorTracers } from './lattice-tracer.js'
export { listPaths, type PathList } from './path-list.js'
export { TileTracer } from './tile.js'
