import type { EdgeEngine, EdgeOptions, EdgeResult, EdgeThreads } from '../../cpu-diffraction/index.js'
import type { FullWaveEngine } from '../../full-wave/index.js'
import type { RasterEngine } from '../../rays/raster-scene.js'
import { type Aspect, type Band, isMonostatic, type Vec3 } from '../../scene/index.js'
import type { AspectResult, SbrEngine, SbrOptions, SteppedSbrEngine, TileRange } from '../../rays/index.js'

/**
 * How edge diffraction shares the time with SBR. `serial`, `static` and `dynamic` are those of paper 003 (Gao et al.,
 * PIER 122, 2012, figure 4): one aspect at a time, sub-grid by sub-grid, with a barrier after each. `overlapped` has no
 * barriers: several aspects are in flight at once, each side works through its own queue, and they meet at the result.
 */
export type Schedule = 'serial' | 'static' | 'dynamic' | 'overlapped'

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

/** Times of an aspect's sub-grids, for the timing report. */
export interface AspectDetail {
  partSeconds: number[]
  edgesPerPart: number[]
  edgeSecondsPerPart: number[]
  spans: Span[]
}

/** Computes the field of the target's facets. */
export type FacetEngine = SbrEngine | RasterEngine | FullWaveEngine

/** The engines of a run and the options it uses them with. */
export interface Engines {
  /** Every step has a mesh of its own (curved patches). */
  meshOfStep?: boolean
  /** Rays, a raster that may include edges, or full wave, which includes everything. */
  facets: FacetEngine
  /** Options of the ray engine. */
  options: SbrOptions
  /** Edge diffraction, where wanted; with `apart` where mechanisms or the change of order are. */
  edges?: { engine: EdgeEngine | EdgeThreads; options: EdgeOptions }
  /** Also compute each bounce's part on its own, or the first one's alone; and the edges'. */
  mechanisms?: boolean | 'first'
  /** Also compute the total with so many times the tubes per wavelength (below 1), for an error estimate. */
  coarser?: readonly number[]
  /** Also compute the change of the edge field from first to second order. */
  orderChange?: boolean
  /**
   * Where bistatic fields are the mean over both ways (`waysOf`), as those with edges are (decision 023): area of the facets as it is seen from a
   * direction [m^2] (`projectedArea`).
   */
  bothWays?: (r: Vec3) => number
  /** All but `overlapped` are of paper 003 (paper-003.ts). */
  schedule: Schedule
}

/** The aspects whose fields a result is the mean of (`symmetrise`): the aspect, and where requested the same with transmitter and receiver exchanged. */
export const waysOf = ({ bothWays }: Pick<Engines, 'bothWays'>, aspect: Aspect): Aspect[] =>
  bothWays && !isMonostatic(aspect) ? [aspect, { tx: aspect.rx, rx: aspect.tx }] : [aspect]

/**
 * Weights of these ways: as the squares of the areas that the transmitter sees. Under light that grazes a sheet currents of edges must cancel
 * those of physical optics, of which the receiver there sees next to nothing.
 */
export function weightsOfWays({ bothWays }: Pick<Engines, 'bothWays'>, { tx, rx }: Aspect): [number, number] {
  const [there, back] = [tx, rx].map(({ r }) => (bothWays?.(r) ?? 0) ** 2)
  return there + back > 0 ? [there / (there + back), back / (there + back)] : [0.5, 0.5]
}

/** Facets and edges of an aspect. */
export interface SidesResult {
  facets: AspectResult
  edge?: Pick<EdgeResult, 'field' | 'parts'> & { segments: number; prepare: number; evaluate: number }
  detail: AspectDetail
  timings: AspectTimings | null
}

/** What the dynamic schedule remembers of an aspect; times without waits for the other side [s]. */
export interface AspectTimings {
  parts: TileRange[]
  /** Time of SBR in each part. */
  partSeconds: number[]
  /** Edges that were diffracted, and the time that took in all: without second order and thin solids as sheets, which stay where they are when edges go with another part. */
  edges: number
  edgeSeconds: number
}

/**
 * Facets and edges of one aspect. Results are the same with every schedule.
 * @param previous  timings of the aspect before, for `dynamic`
 */
export type SolveSides = (
  engines: Engines,
  aspect: Aspect,
  band: Band,
  previous: AspectTimings | null,
  signal: AbortSignal,
) => Promise<SidesResult>

/** Whether the raster's fields include edges. */
export const drawsEdges = (engine: FacetEngine): boolean => 'raster' in engine && engine.raster.edges

/** Whether the engine solves for currents: one factorisation a frequency serves all aspects. */
export const isFullWave = (engine: FacetEngine): engine is FullWaveEngine => 'solve' in engine

/** Whether an aspect can be computed step by step, as the schedules of paper 003 do. */
export const isStepped = (engine: FacetEngine): engine is SteppedSbrEngine => 'begin' in engine

/** Edges of which each thread can have an aspect of its own, so that they can be computed before they are requested. */
export type AheadEdges = EdgeEngine & Pick<EdgeThreads, 'fieldOnOneThread'>

/** Whether edges can be computed before they are requested. */
export const runsAhead = (engine: EdgeEngine): engine is AheadEdges => 'fieldOnOneThread' in engine

/** Whether the engine's threads are this process' own. */
export const hasThreads = (engine: EdgeEngine): engine is EdgeThreads => 'prepareRange' in engine

/**
 * The field of the facets from one aspect.
 * @param only  one bounce alone, 1 being physical optics; or the edges of a raster alone
 */
export function facetField(
  { facets, options }: Pick<Engines, 'facets' | 'options'>,
  aspect: Aspect,
  band: Band,
  signal: AbortSignal,
  only?: number | 'edges',
): Promise<AspectResult> {
  if ('raster' in facets) {
    const part = only === undefined || only === 'edges' ? only : 'facets'
    return facets.field({ aspect, band, only: part }, signal)
  }
  if (isFullWave(facets)) {
    if (only !== undefined) throw new RangeError('full wave has no parts')
    return facets.field({ aspect, band }, signal)
  }
  if (only === 'edges') throw new RangeError('rays have no edges')
  return facets.field({ aspect, band, options: { ...options, ...(only && { onlyBounce: only }) } }, signal)
}
