import { type BackprojectionTask, runBackprojection } from './solve.js'

export default (task: BackprojectionTask): Float64Array => runBackprojection(task)
