import { type MomentTask, MomentTaskRunner } from './task.js'

const runner = new MomentTaskRunner()

export default (task: MomentTask): void => runner.run(task)
