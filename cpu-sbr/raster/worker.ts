import { workerData } from 'node:worker_threads'
import type { SbrJob } from '../../rays/index.js'
import { type RasterResult, type RasterTarget, runRasterTask } from './edges.js'

// The pool hands its data to every thread.
const target = workerData as RasterTarget

export default (job: SbrJob): RasterResult => runRasterTask(target, job)
