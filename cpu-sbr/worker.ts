import { workerData } from 'node:worker_threads'
import type { RayScene } from '../rays/index.js'
import { runSbrTask, type SbrTask, type SbrTaskResult } from './task.js'

// The pool hands its data to every thread.
const scene = workerData as RayScene

export default (task: SbrTask): SbrTaskResult => runSbrTask(scene, task)
