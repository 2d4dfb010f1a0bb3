import {
  type Aspect,
  type Band,
  exactGrid,
  highestFrequency,
  type RayScene,
  wavelength,
  wavenumber,
} from '../scene/index.js'
import { EDGE_SIZE, type EdgeScene } from './edge-scene.js'
import { BlockEvaluator } from './evaluate.js'
import { findSegments } from './segments.js'
import type { Truncation } from './strip.js'

export interface EdgeOptions {
  /** How the fringe current ends at the far side of its face. */
  diffraction: Truncation
  /** Segments per wavelength at the band's highest frequency; DEFAULT_SEGMENTS when left out. */
  segmentsPerWavelength?: number
  /** Evaluate every segment at every frequency (an oracle: slow). */
  exact?: boolean
}

/** Measured: docs/edge-diffraction.md, "Segments". */
export const DEFAULT_SEGMENTS = 3

/** One aspect of a sweep. */
export interface EdgeJob {
  aspect: Aspect
  band: Band
  options: EdgeOptions
}

/** A range of edges to cut into segments (phase 1), or of blocks of segments to evaluate (phase 2). */
export type EdgeTask =
  | { kind: 'prepare'; job: EdgeJob; first: number; end: number }
  | { kind: 'evaluate'; job: EdgeJob; first: number; end: number; segments: Float64Array }

export interface EdgeTaskResult {
  /** Phase 1: `Segments.data`. Phase 2: sum of the blocks on the grid, 8 numbers per frequency [m]. */
  data: Float64Array
  /** Phase 1: segments before the visibility test. */
  considered: number
  seconds: number
}

/** Both scenes of a target, as worker threads are given them. */
export interface EdgeScenes {
  edges: EdgeScene
  rays: RayScene
}

/** Edges first to end - 1, and how many segments they are cut into where they are visible all along. */
export interface EdgeRange {
  first: number
  end: number
  segments: number
}

/** Runs the tasks of one target; pure but for the clock, with the same result inline or on a worker. */
export class EdgeTaskRunner {
  private key = ''
  private evaluator!: BlockEvaluator

  constructor(private readonly scenes: EdgeScenes) {}

  run(task: EdgeTask): EdgeTaskResult {
    const start = performance.now()
    const { edges, rays } = this.scenes
    const { job, first, end } = task
    let data: Float64Array
    let considered = 0
    if (task.kind === 'prepare')
      ({ data, considered } = findSegments(edges, rays, job.aspect, segmentLength(job), first, end))
    else {
      data = new Float64Array(8 * job.band.n)
      const grid = edgeGrid(edges, job.band)
      this.evaluatorOf(job).add(job.aspect, task.segments, first, end, grid, data)
    }
    return { data, considered, seconds: (performance.now() - start) / 1000 }
  }

  /** The evaluator of the last job's band and options serves until these change. */
  private evaluatorOf({ band, options }: EdgeJob): BlockEvaluator {
    const exact = options.exact ?? false
    const key = JSON.stringify([band.f0, band.df, band.n, options.diffraction, exact])
    if (key !== this.key) {
      this.evaluator = new BlockEvaluator(this.scenes.edges, band, options.diffraction, exact)
      this.key = key
    }
    return this.evaluator
  }
}

/** Longest segment [m]. */
export const segmentLength = ({ band, options }: EdgeJob): number =>
  wavelength(Math.max(band.f0, highestFrequency(band))) / (options.segmentsPerWavelength ?? DEFAULT_SEGMENTS)

/**
 * Grid of the block sums (`exactGrid`): per metre of edge up to 512 are within it, and on targets of thousands of
 * wavelengths as much as full-length strips in phase can give (k l/2 pi).
 */
export function edgeGrid(scene: EdgeScene, band: Band): number {
  const k = wavenumber(Math.max(band.f0, highestFrequency(band)))
  return exactGrid(Math.max(scene.length, 1e-9) * Math.max(0.25, (k * scene.diagonal) / 4096))
}

/** Edges as ranges of about `wanted` segments each. */
export function edgeRanges(scene: EdgeScene, job: EdgeJob, wanted: number): EdgeRange[] {
  const ranges: EdgeRange[] = []
  const step = segmentLength(job)
  let first = 0
  let segments = 0
  for (let e = 0; e < scene.count; e++) {
    segments += Math.ceil(scene.edges[EDGE_SIZE * e + 6] / step)
    if (segments < wanted && e + 1 < scene.count) continue
    ranges.push({ first, end: e + 1, segments })
    first = e + 1
    segments = 0
  }
  return ranges
}
