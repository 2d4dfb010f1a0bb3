import { Piscina } from 'piscina'
import type { SbrJob } from '../rays/index.js'
import { type RasterResult, type RasterTarget, runRasterTask } from './task.js'

// The pool hands its workerData to every thread.
const target = Piscina.workerData as RasterTarget

export default (job: SbrJob): RasterResult => runRasterTask(target, job)
