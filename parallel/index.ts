export { addExactly, exactGrid, roundTo, withinGrid } from './exact-sum.js'
export { shared } from './shared-memory.js'
