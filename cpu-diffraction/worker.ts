import { Piscina } from 'piscina'
import type { EdgeScenes, EdgeTask, EdgeTaskResult } from './job.js'
import { EdgeTaskRunner } from './task.js'

// The pool hands its workerData to every thread.
const runner = new EdgeTaskRunner(Piscina.workerData as EdgeScenes)

export default (task: EdgeTask): EdgeTaskResult => runner.run(task)
