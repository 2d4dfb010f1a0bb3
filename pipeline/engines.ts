import type { EdgeEngine, EdgeOptions } from '../cpu-diffraction/index.js'
import type { AspectField, AspectResult, SbrEngine, SbrOptions } from '../rays/index.js'
import type { AspectTimings, Schedule } from './schedule.js'

/** Work of one side from `start` to `end`, seconds since the process started; the span includes waiting for its device. */
export interface Span {
  lane: 'sbr' | 'edges'
  what: 'trace' | 'field' | 'prepare' | 'evaluate' | 'all'
  part: number
  start: number
  end: number
  /** An aspect's edges by one thread alone: the span is its busy time. */
  alone?: boolean
}

/** What an aspect's sub-grids took, for the timing report. */
export interface AspectDetail {
  partSeconds: number[]
  edgesPerPart: number[]
  edgeSecondsPerPart: number[]
  spans: Span[]
}

/** The engines of a run and what it asks of them. */
export interface Engines {
  sbr: SbrEngine
  options: SbrOptions
  /** Edge diffraction, where wanted; `ahead`: a sweep has its threads run ahead of SBR (`withRunAhead`). */
  edges?: { engine: EdgeEngine; options: EdgeOptions; ahead?: boolean }
  /** Also compute each bounce's part on its own, or the first one's alone; and the edges'. */
  mechanisms: boolean | 'first'
  /** Also compute the total with so many times the tubes and segments per wavelength (below 1), for an error estimate. */
  coarser?: readonly number[]
  /** Also compute by how much the edges change from first to second order, at the last of the coarser densities. */
  orderChange?: boolean
  schedule: Schedule
}

/** Both sides of an aspect, from whichever schedule. */
export interface SidesResult {
  sbr: AspectResult
  edge?: { field: AspectField; segments: number; prepare: number; evaluate: number }
  detail: AspectDetail
  timings: AspectTimings | null
}

/** The engine with another way to its aspects. */
export const withAspect = (sbr: SbrEngine, aspect: SbrEngine['aspect']): SbrEngine => ({
  kind: sbr.kind,
  description: sbr.description,
  isSoftware: sbr.isSoftware,
  raster: sbr.raster,
  aspectsInFlight: sbr.aspectsInFlight,
  aspect,
  begin: (job, signal) => sbr.begin(job, signal),
  close: () => sbr.close(),
})
