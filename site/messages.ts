import type { SweepPlan } from '../isar/index.js'
import type { FormedImages } from '../src/formed-images.js'
import type { SecondOrder } from '../cpu-diffraction/mechanisms.js'
import type { Unit } from '../scene/index.js'
import type { RaysData, TargetData } from '../viewer/data.js'

/** Reads and prepares a mesh. */
export interface OpenRequest {
  kind: 'open'
  /** Name of the file, whose ending says what it is. */
  name: string
  bytes: Uint8Array
  units: Unit
}

/** Directions and frequencies of a run. */
export type RunSweep =
  | { what: 'rcs'; freqHz: number; thetaDeg: number; phiDeg: number[] }
  | { what: 'image'; centreHz: number; resolutionM: number; thetaDeg: number; phiDeg: number }

/** How a run is computed. */
export interface SolveOptions {
  device: 'auto' | 'gpu' | 'cpu'
  raysPerWavelength: number
  maxBounces: number
  edges: boolean
  secondOrder: readonly SecondOrder[]
}

/** Computes a sweep of the opened target; a run in progress is stopped. */
export interface SolveRequest {
  kind: 'solve'
  sweep: RunSweep
  options: SolveOptions
}

/** Traces the rays behind hot spots, at the middle of the sweep's band; answered by `rays` with the same number. */
export interface RaysRequest {
  kind: 'rays'
  id: number
  thetaDeg: number
  phiDeg: number
  freqHz: number
  options: SolveOptions
}

export type Request = OpenRequest | SolveRequest | RaysRequest | { kind: 'stop' }

/** The GPU of the page's workers; null without. */
export interface GpuFound {
  name: string
  isSoftware: boolean
}

export interface TargetAnswer {
  kind: 'target'
  target: TargetData
  facets: number
  /** Radius of the bounding sphere [m]. */
  radiusM: number
  warnings: string[]
  gpu: GpuFound | null
}

/** A run has begun: its aspects and frequencies. */
export interface StartedAnswer {
  kind: 'started'
  device: string
  notes: string[]
  freqHz: Float64Array
  thetaDeg: number
  phiDeg: Float64Array
}

export type Answer =
  | TargetAnswer
  | StartedAnswer
  /** An aspect: 8 numbers per frequency, re, im of F [m] for VV HH VH HV. */
  | { kind: 'row'; aspect: number; field: Float64Array }
  | { kind: 'done'; seconds: number; image?: { formed: FormedImages; plan: SweepPlan } }
  /** Asked to stop: nothing more comes of the run. */
  | { kind: 'stopped' }
  | { kind: 'rays'; id: number; rays: RaysData }
  /** The file or the run was refused, or failed. */
  | { kind: 'refused'; message: string }
