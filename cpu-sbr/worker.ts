import { Piscina } from 'piscina'
import type { RayScene } from '../rays/index.js'
import { runSbrTask, type SbrTask, type SbrTaskResult } from './task.js'

// The pool hands its workerData to every thread.
const scene = Piscina.workerData as RayScene

export default (task: SbrTask): SbrTaskResult => runSbrTask(scene, task)
