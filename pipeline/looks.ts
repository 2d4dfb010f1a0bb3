import type { EdgeThreads } from '../cpu-diffraction/index.js'
import { type Aspect, type Band, dot, InputError, isMonostatic, wavenumber } from '../scene/index.js'
import { type RayScene } from '../rays/index.js'
import { type AspectReport, emptyReport } from './aspect-solver.js'
import { type AspectDetail, type Engines, hasThreads } from './engines.js'

/**
 * Aspects that one look serves by default: those within this many radians over the root of k D, D the target's diagonal. Multiple
 * bounces change within less the larger the target is in wavelengths; measured on aircraft (docs/numerics.md, "Aspect extrapolation").
 */
const LOOK_SPAN = 0.55
/** Edge segments per wavelength of a look. */
const LOOK_SEGMENTS = 1

/** How many looks serve the aspects of a sweep by default: at most one for each. */
export function enoughLooks(
  aspects: Aspect[],
  { diagonal }: Pick<RayScene, 'diagonal'>,
  highest: number,
): number {
  let span = 0
  for (let i = 1; i < aspects.length; i++)
    span += Math.acos(Math.min(1, dot(aspects[i - 1].tx.r, aspects[i].tx.r)))
  const looks = (span * Math.sqrt(wavenumber(highest) * diagonal)) / LOOK_SPAN
  return Math.max(1, Math.min(aspects.length, Math.ceil(looks)))
}

/** The aspects numbered, in their order, as `looks` runs of nearly one length. */
export function lookGroups(numbers: number[], looks: number): number[][] {
  const at = (q: number): number => Math.floor((q * numbers.length) / looks)
  return Array.from({ length: looks }, (_, q) => numbers.slice(at(q), at(q + 1))).filter((g) => g.length > 0)
}

/**
 * Approximate fields of several aspects from the rays and edge segments of their middle one (`Look` in scene/).
 *
 * @returns the fields in the order of the aspects [m], raw, and what they took all together
 * @throws InputError for bistatic aspects
 */
export async function solveLook(
  { facets, options, edges }: Engines,
  aspects: Aspect[],
  band: Band,
  signal?: AbortSignal,
): Promise<{ fields: Float64Array[]; report: AspectReport; detail: AspectDetail }> {
  if (!aspects.every(isMonostatic)) throw new InputError('one look serves monostatic aspects alone')
  if ('raster' in facets || (edges && !hasThreads(edges.engine)))
    throw new TypeError('these engines have no looks')
  const start = performance.now()
  const aspect = aspects[aspects.length >> 1]
  const extrapolation = { directions: aspects.map(({ tx }) => tx) }
  const edgeOptions = edges && { ...edges.options, segmentsPerWavelength: LOOK_SEGMENTS }
  const [rays, edge] = await Promise.all([
    facets.field({ aspect, band, options, extrapolation }, signal),
    (edges?.engine as EdgeThreads | undefined)?.extrapolate(
      { aspect, band, options: edgeOptions! },
      extrapolation,
      signal,
    ),
  ])
  const size = 8 * band.n
  const { trace, field, reduction } = rays.times
  return {
    fields: aspects.map((_, m) => {
      const sum = rays.field.slice(size * m, size * (m + 1))
      if (edge) for (let i = 0; i < size; i++) sum[i] += edge.field[size * m + i]
      return sum
    }),
    report: {
      ...emptyReport(),
      ...rays.statistics,
      trace,
      field,
      reduction,
      evaluate: (edge?.seconds ?? 0) / (edges?.engine.describe().threads ?? 1),
      total: (performance.now() - start) / 1000,
    },
    detail: { partSeconds: rays.partSeconds, edgesPerPart: [], edgeSecondsPerPart: [], spans: [] },
  }
}
