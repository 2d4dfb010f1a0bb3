import { type BackprojectionTask, runBackprojection } from './task.js'

export default (task: BackprojectionTask): Float64Array => runBackprojection(task)
