import type { Aspect, Band, Vec3 } from '../scene/index.js'
import { bandsOfSteps } from '../scene/frequency-steps.js'
import { optionsOfStep } from '../rays/index.js'
import { type Engines, isFullWave } from './engines.js'

/** What a run computes: the fields of every aspect over every band. */
export interface SweepJob {
  aspects: Aspect[]
  /** Uniform bands; their frequencies follow one another in a row's fields. */
  bands: Band[]
  /** Point that phases are referred to [m]. */
  phaseCentre: Vec3
  /** Groups of aspect numbers, each extrapolated from its middle aspect (`extrapolateAspects`); absent: rays are traced at every aspect. */
  groups?: number[][]
}

/**
 * The job with every band divided into those of one step each (`bandsOfSteps`), as rays, edges and curved patches take it. A raster's pixels do not
 * depend on the frequency, and full wave solves each alone: their bands stay whole.
 */
export const inSteps = (
  { facets, edges, size, meshOfStep }: Pick<Engines, 'facets' | 'edges' | 'size' | 'meshOfStep'>,
  job: SweepJob,
): SweepJob =>
  !edges && !meshOfStep && ('raster' in facets || isFullWave(facets))
    ? job
    : { ...job, bands: job.bands.flatMap((band) => bandsOfSteps(band, size)) }

/** The engines with the rays of a band of one step. */
export const atStep = <E extends Engines>(engines: E, band: Band): E => ({
  ...engines,
  options: optionsOfStep(engines.options, band, engines.size),
})
