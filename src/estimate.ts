import { rowTasks, runSbrTask } from '../cpu-sbr/task.js'
import { fitAperture, tubeCount } from '../scene/aperture.js'
import { highestFrequency, wavelength } from '../scene/band.js'
import { InputError } from '../scene/errors.js'
import type { RayScene } from '../scene/ray-scene.js'
import { tubeSide, type SbrEngine, type SbrJob } from '../scene/sbr.js'
import type { SweepJob } from '../pipeline/sweep.js'
import { frequencyTotal, rowLength } from '../pipeline/sweep.js'

/** Beyond these a plan is taken for a mistake in the units rather than a wish. */
const MAX_WAVELENGTHS = 20_000
const MAX_TUBES = 5e10
/** Sizes that run, but look odd [wavelengths]. */
const ODD_SIZE = [0.5, 5000]
/** Tubes per second of a hardware GPU, and its tube-frequencies; of a software one. Rough, for the estimate only. */
const GPU_RATES = { tubes: 3e9, tubeFrequencies: 5e10 }
const SOFTWARE_RATES = { tubes: 3e5, tubeFrequencies: 1e7 }

export interface RunEstimate {
  /** Box sides [m], and the diagonal in wavelengths at the highest frequency. */
  size: [number, number, number]
  wavelengths: number
  tubesPerAspect: number
  memoryBytes: number
  seconds: number
  warnings: string[]
}

/** Highest of the run's bands. */
const topJob = (job: SweepJob, index: number): SbrJob => ({
  aspect: job.aspects[index],
  band: job.bands.reduce((a, b) => (highestFrequency(b) > highestFrequency(a) ? b : a)),
  options: job.options,
})

/**
 * Size of the run before any of it is started. @throws InputError, naming --units, for a target so many wavelengths
 * large that the file's unit must be another one.
 */
export function estimateRun(
  scene: RayScene,
  box: { min: number[]; max: number[] },
  job: SweepJob,
  engine: SbrEngine,
  workers: number,
): RunEstimate {
  const top = topJob(job, 0)
  const lambda = wavelength(highestFrequency(top.band))
  const size = [0, 1, 2].map((a) => box.max[a] - box.min[a]) as [number, number, number]
  const wavelengths = scene.diagonal / lambda
  const sizeText = `${size.map((x) => Number(x.toPrecision(4))).join(' x ')} m`
  const tubesPerAspect = tubeCount(fitAperture(scene, top.aspect.tx, tubeSide(top)))
  if (wavelengths > MAX_WAVELENGTHS || tubesPerAspect > MAX_TUBES)
    throw new InputError(
      `the target is ${sizeText}, ${Math.round(wavelengths)} wavelengths, and would take ${tubesPerAspect.toExponential(1)} ray tubes per aspect; if the file is not in metres say so with --units mm (or cm, in, ft)`,
    )
  const warnings: string[] = []
  if (wavelengths < ODD_SIZE[0] || wavelengths > ODD_SIZE[1])
    warnings.push(
      `the target is ${sizeText} or ${Number(wavelengths.toPrecision(2))} wavelengths: is the file in another unit? (--units m, cm, mm, in or ft)`,
    )
  const frequencies = frequencyTotal(job)
  return {
    size,
    wavelengths,
    tubesPerAspect,
    memoryBytes:
      scene.count * (12 + 4 + 9 + 2) * 8 + scene.nodes.byteLength + 8 * rowLength(job) * job.aspects.length,
    seconds: job.aspects.length * aspectSeconds(scene, top, engine, workers, tubesPerAspect, frequencies),
    warnings,
  }
}

function aspectSeconds(
  scene: RayScene,
  job: SbrJob,
  engine: SbrEngine,
  workers: number,
  tubes: number,
  frequencies: number,
): number {
  if (engine.description.startsWith('gpu')) {
    const rates = /swiftshader|llvmpipe/i.test(engine.description) ? SOFTWARE_RATES : GPU_RATES
    return tubes / rates.tubes + (0.4 * tubes * frequencies) / rates.tubeFrequencies
  }
  // A row of tiles through the middle of the aperture, on this thread: a fifth of a second on most targets.
  const rows = rowTasks(scene, job, 1e-9, 1)
  const task = rows[Math.floor(rows.length / 2)]
  const start = performance.now()
  const { statistics } = runSbrTask(scene, task)
  const perTube = (performance.now() - start) / 1000 / statistics.tubes
  // Rows away from the middle are emptier.
  return (0.7 * tubes * perTube) / workers
}
