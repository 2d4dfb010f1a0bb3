import { type Aspect, type Band, type Direction, highestFrequency, wavenumber } from '../../scene/index.js'
import { exactQuantum } from '../../math/exact-sum.js'
import { EDGE_SIZE, type EdgeScene } from '../geometry/edge-scene.js'
import { boundsOf } from '../../scene/band.js'
import { SECOND_ORDER, type SecondOrder, WITHOUT_EDGES } from './mechanisms.js'
import type { Truncation } from '../currents/strip.js'

/** Which edge diffraction is computed, and how finely. */
export interface EdgeOptions {
  /** How the fringe current ends at the far side of its face. */
  diffraction: Truncation
  /** Edges are cut into at least so many segments per wavelength at the band's highest frequency; as few as can be when left out. */
  segmentsPerWavelength?: number
  /** Mechanisms of second order; none when left out. */
  secondOrder?: readonly SecondOrder[]
  /** Also give first order and each mechanism apart (`EdgeResult.parts`). */
  apart?: boolean
  /** Evaluate every segment at every frequency (an oracle: slow). */
  exact?: boolean
}

/** Segments summed in a field of their own. Blocks are counted from an aspect's first segment: no split moves them. */
export const BLOCK_SEGMENTS = 64

/** Segments per wavelength where parts of them are taken at one place, and resolution of strips over curved surfaces. */
export const DEFAULT_SEGMENTS = 3

/** The mechanisms of second order that are computed, in the order of their sums. */
export const mechanismsOf = ({ secondOrder }: EdgeOptions): SecondOrder[] =>
  SECOND_ORDER.filter((name) => secondOrder?.includes(name))

/** Sums of an aspect: one, or first order and each mechanism where they are wanted apart. */
export const sumCount = (options: EdgeOptions): number =>
  options.apart ? 1 + mechanismsOf(options).length : 1

/** One aspect of a sweep. */
export interface EdgeJob {
  aspect: Aspect
  band: Band
  options: EdgeOptions
}

/**
 * A range of edges to cut into segments (phase 1), or of blocks of segments to evaluate (phase 2); or an
 * aspect's edges through both phases.
 */
export type EdgeTask =
  | { kind: 'whole'; job: EdgeJob }
  | { kind: 'prepare'; job: EdgeJob; first: number; end: number }
  | EvaluationTask
  | ExtrapolationTask

/** Phase 2 has two sides: the segments, and the others, which go with none: second order, thin solids as sheets. */
export type EvaluationSide = 'segments' | 'others'

/** Phase 2 of blocks first to end - 1 of `blocks`: of both sides, or of one. */
export interface EvaluationTask {
  kind: 'evaluate'
  job: EdgeJob
  first: number
  end: number
  blocks: number
  segments: Float64Array
  side?: EvaluationSide
}

/** Both phases of a range of edges, as one aspect (the reference aspect) sees them, for many directions. */
export interface ExtrapolationTask {
  kind: 'extrapolate'
  job: EdgeJob
  directions: Direction[]
  first: number
  end: number
}

export interface EdgeTaskResult {
  /** Phase 1: `Segments.data`. Phase 2: sum of the blocks, multiples of the quantum, [sum][frequency] 8 numbers [m] (`sumCount`). Of an extrapolation: fields, multiples of the quantum. */
  data: Float64Array
  /** Of both phases: segments that diffract, and seconds of phase 1. */
  whole?: { visible: number; prepare: number }
  /** Phase 1: segments before the visibility test. */
  considered: number
  seconds: number
}

/** Edges first to end - 1, and how many segments they are cut into where they are visible all along. */
export interface EdgeRange {
  first: number
  end: number
  segments: number
}

/** Blocks first to end - 1 of `blocks` of an aspect's segments. */
export interface BlockShare {
  first: number
  end: number
  blocks: number
}

/** Blocks of an aspect's segments; at least one where waves that need no edges go with them. */
export const blockCount = (segments: number, secondOrder: readonly SecondOrder[] = []): number =>
  Math.max(
    Math.ceil(segments / BLOCK_SEGMENTS),
    secondOrder.some((name) => WITHOUT_EDGES.includes(name)) ? 1 : 0,
  )

/** Longest segment [m], or resolution of pieces, of the frequencies in the highest step of a job (`bandsOfSteps`). */
export const segmentLength = ({ band, options }: Omit<EdgeJob, 'aspect'>): number =>
  (2 * Math.PI) / (boundsOf(band).highest * (options.segmentsPerWavelength ?? DEFAULT_SEGMENTS))

/**
 * Quantum of the block sums (`exactQuantum`): per metre of edge up to 512 are within it, and on targets of thousands of
 * wavelengths as much as full-length strips in phase can give (k l/2 pi). Of targets with few edges it is the diagonal that counts:
 * they may have travelling waves.
 */
export function edgeQuantum(scene: EdgeScene, band: Band): number {
  const k = wavenumber(Math.max(band.f0, highestFrequency(band)))
  return exactQuantum(Math.max(scene.length, scene.diagonal) * Math.max(0.25, (k * scene.diagonal) / 4096))
}

/** Edges as ranges of about `wanted` segments each. */
export function edgeRanges(scene: EdgeScene, job: Omit<EdgeJob, 'aspect'>, wanted: number): EdgeRange[] {
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

/** Segments of ranges of edges, before any is found unlit or hidden. */
export const segmentCount = (ranges: EdgeRange[]): number => ranges.reduce((n, r) => n + r.segments, 0)
