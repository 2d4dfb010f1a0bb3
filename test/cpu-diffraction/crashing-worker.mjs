// A worker that dies as often as the scene's counter says, then works.
import { Piscina } from 'piscina'
import { EdgeTaskRunner } from '../../dist/cpu-diffraction/engine/task.js'

const scenes = Piscina.workerData.data
const runner = new EdgeTaskRunner(scenes)

export default function run(task) {
  if (Atomics.sub(scenes.edges.crashes, 0, 1) > 0) process.exit(1)
  return runner.run(task)
}
