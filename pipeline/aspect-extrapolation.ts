import type { EdgeThreads } from '../cpu-diffraction/index.js'
import { type Aspect, type Band, dot, InputError, isMonostatic, wavenumber } from '../scene/index.js'
import { type RayScene } from '../rays/index.js'
import { type AspectDetail, type Engines, hasThreads } from './engines.js'
import { type AspectReport, emptyReport } from './rows.js'

/**
 * Aspects extrapolated from one reference aspect by default span this angle [rad], divided by the root of k D, D the target's diagonal:
 * multiple bounces decorrelate faster the larger the target is in wavelengths. Measured on aircraft (docs/numerics.md, "Aspect
 * extrapolation").
 */
const GROUP_SPAN = 0.55
/** Edge segments per wavelength at a reference aspect. */
const SEGMENTS_PER_WAVELENGTH = 1

/** Default number of reference aspects of a sweep, at most one per aspect. */
export function referenceAspectCount(
  aspects: Aspect[],
  { diagonal }: Pick<RayScene, 'diagonal'>,
  highest: number,
): number {
  let span = 0
  for (let i = 1; i < aspects.length; i++)
    span += Math.acos(Math.min(1, dot(aspects[i - 1].tx.r, aspects[i].tx.r)))
  const count = (span * Math.sqrt(wavenumber(highest) * diagonal)) / GROUP_SPAN
  return Math.max(1, Math.min(aspects.length, Math.ceil(count)))
}

/** Divides aspect numbers, in their order, into `count` groups of nearly equal length. */
export function aspectGroups(numbers: number[], count: number): number[][] {
  const at = (q: number): number => Math.floor((q * numbers.length) / count)
  return Array.from({ length: count }, (_, q) => numbers.slice(at(q), at(q + 1))).filter((g) => g.length > 0)
}

/**
 * Aspect extrapolation (R. Bhalla and H. Ling): approximate fields of several monostatic aspects from the rays and edge segments of their
 * middle one, the reference aspect (`Extrapolation` in rays/).
 *
 * @returns the fields in the order of the aspects [m], as `SolvedAspect.fields`, and the report of all together
 * @throws InputError for bistatic aspects
 */
export async function extrapolateAspects(
  { facets, options, edges }: Engines,
  aspects: Aspect[],
  band: Band,
  signal?: AbortSignal,
): Promise<{ fields: Float64Array[]; report: AspectReport; detail: AspectDetail }> {
  if (!aspects.every(isMonostatic)) throw new InputError('aspect extrapolation needs monostatic aspects')
  if ('raster' in facets || (edges && !hasThreads(edges.engine)))
    throw new TypeError('these engines cannot extrapolate aspects')
  const start = performance.now()
  const aspect = aspects[aspects.length >> 1]
  const extrapolation = { directions: aspects.map(({ tx }) => tx) }
  const edgeOptions = edges && { ...edges.options, segmentsPerWavelength: SEGMENTS_PER_WAVELENGTH }
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
