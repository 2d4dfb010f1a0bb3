import { rowTasks, runSbrTask } from '../cpu-sbr/index.js'
import { highestFrequency, InputError, wavelength } from '../scene/index.js'
import { jobAperture, type RayScene, type SbrJob, TILE, tubeCount } from '../rays/index.js'
import { bouncesApart, type Engines, frequencyTotal, type SweepJob } from '../pipeline/index.js'
import { checkMemory } from './free-memory.js'
import { runMemory } from './run-memory.js'

/** Above these a plan is treated as a mistake in the units. */
const MAX_WAVELENGTHS = 20_000
const MAX_TUBES = 5e10
/** Range of sizes without a warning [wavelengths]. */
const ODD_SIZE = [0.5, 5000]
/** Tubes per second of a hardware GPU, and its tube-frequencies; of a software one. Rough, for the estimate only. */
const GPU_RATES = { tubes: 3e9, tubeFrequencies: 5e10 }
const SOFTWARE_RATES = { tubes: 3e5, tubeFrequencies: 1e7 }

/** Pixels drawn, and facets times one more than the frequencies, per second by an engine that rasterises. Rough too. */
const GPU_RASTER = { pixels: 2e10, facets: 5e8 }
const SOFTWARE_RASTER = { pixels: 2e7, facets: 5e5 }
const CPU_RASTER = { pixels: 5e7, facets: 5e5 }

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
const topJob = (engines: Engines, job: SweepJob): SbrJob => ({
  aspect: job.aspects[0],
  band: job.bands.reduce((a, b) => (highestFrequency(b) > highestFrequency(a) ? b : a)),
  options: engines.options,
})

/** Frequencies of the trial that an estimate of the cpu's time runs: a contribution costs as much with any more of them. */
const TRIAL_FREQUENCIES = 256

/**
 * Estimates a run before it starts.
 * @param copies  of all fields held while results are written
 * @throws InputError, naming --units, for a target so many wavelengths large that the file's unit must be another one, and for a
 * run that needs more memory than there is
 */
export function estimateRun(
  scene: RayScene,
  box: { min: number[]; max: number[] },
  job: SweepJob,
  engines: Engines,
  workers: number,
  copies = 0,
): RunEstimate {
  const top = topJob(engines, job)
  const lambda = wavelength(highestFrequency(top.band))
  const size = [0, 1, 2].map((a) => box.max[a] - box.min[a]) as [number, number, number]
  const wavelengths = scene.diagonal / lambda
  const sizeText = `${size.map((x) => Number(x.toPrecision(4))).join(' x ')} m`
  const { facets } = engines
  const tubesPerAspect = 'raster' in facets ? facets.raster.size ** 2 : tubeCount(jobAperture(scene, top))
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
  const memoryBytes = runMemory(scene, job, engines, workers, tubesPerAspect, copies)
  // The fields of this run can be too large, not the target.
  checkMemory(
    memoryBytes,
    `take fewer aspects (${job.aspects.length}) or frequencies (${frequencies}), or fewer --workers`,
  )
  return {
    size,
    wavelengths,
    tubesPerAspect,
    memoryBytes,
    seconds:
      job.aspects.length *
      (1 +
        bouncesApart(engines) +
        (engines.coarser ?? []).reduce((sum, factor) => sum + factor * factor, 0)) *
      aspectSeconds(scene, top, engines, workers, tubesPerAspect, frequencies),
    warnings,
  }
}

function aspectSeconds(
  scene: RayScene,
  job: SbrJob,
  { facets }: Engines,
  workers: number,
  tubes: number,
  frequencies: number,
): number {
  const { device, isSoftware } = facets.describe()
  if ('raster' in facets) {
    const rates = device === 'cpu' ? CPU_RASTER : isSoftware ? SOFTWARE_RASTER : GPU_RASTER
    return (
      (tubes / rates.pixels + (scene.count * (1 + frequencies)) / rates.facets) /
      (device === 'cpu' ? workers : 1)
    )
  }
  if (device === 'gpu') {
    const rates = isSoftware ? SOFTWARE_RATES : GPU_RATES
    return tubes / rates.tubes + (0.4 * tubes * frequencies) / rates.tubeFrequencies
  }
  // Rows of tiles around the middle of the aperture, on this thread; the first is a warm-up.
  const { band } = job
  const n = Math.min(band.n, TRIAL_FREQUENCIES)
  const trial = { ...job, band: { f0: band.f0, df: n > 1 ? (band.df * (band.n - 1)) / (n - 1) : 0, n } }
  const rows = rowTasks(scene, trial, 1e-9, 1)
  const middle = Math.floor(rows.length / 2)
  runSbrTask(scene, rows[Math.max(0, middle - 1)])
  const start = performance.now()
  runSbrTask(scene, rows[middle])
  const { ni, nj } = rows[middle].tiles
  const perTube = (performance.now() - start) / 1000 / (ni * nj * TILE * TILE)
  // Rows away from the middle are emptier.
  return (0.7 * tubes * perTube) / workers
}
