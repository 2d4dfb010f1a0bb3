export type { FaultOptions } from './pool-watch.js'
export { WorkerPool } from './worker-pool.js'
