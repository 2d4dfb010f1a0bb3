import { Piscina } from 'piscina'
import { EdgeTaskRunner, type EdgeScenes, type EdgeTask, type EdgeTaskResult } from './task.js'

// The pool hands its workerData to every thread.
const runner = new EdgeTaskRunner(Piscina.workerData as EdgeScenes)

export default (task: EdgeTask): EdgeTaskResult => runner.run(task)
