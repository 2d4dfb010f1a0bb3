import {
  type EdgeOptions,
  type EdgeResult,
  type EdgeThreads,
  SECOND_ORDER,
  type SecondOrder,
  UNIFORM,
} from '../../cpu-diffraction/index.js'
import type { AspectField, AspectResult, RayScene } from '../../rays/index.js'
import { type Aspect, type Band, dot, InputError, isMonostatic, wavenumber } from '../../scene/index.js'
import {
  type AspectDetail,
  type AspectTimings,
  drawsEdges,
  type Engines,
  facetField,
  hasThreads,
  type Schedule,
  type SidesResult,
  type SolveSides,
  type Span,
} from './engines.js'
import { type AspectReport, emptyReport } from './rows.js'
import { PAPER_SCHEDULES } from './paper-003.js'

interface SolvedAspect {
  /** The fields of `fieldNames`: raw amplitudes F [m] about the mesh's origin. */
  fields: AspectField[]
  report: AspectReport
  detail: AspectDetail
  /** What the dynamic schedule needs for the next aspect. */
  timings: AspectTimings | null
}

/** Bounces that a run with mechanisms always has apart, where rays may be followed so far; more where they contribute. */
const LEAST_APART = 5

/** Number of bounces that are also computed separately, at the least and at the most. */
export function bouncesApart({ mechanisms, options }: Pick<Engines, 'mechanisms' | 'options'>): {
  least: number
  most: number
} {
  const most = mechanisms === 'first' ? 1 : mechanisms ? options.maxBounces : 0
  return { least: Math.min(LEAST_APART, most), most }
}

/** Name of the total at a coarser density, e.g. `coarser_0.5`. */
export const coarserName = (factor: number): string => `coarser_${factor}`

/** Name of the change of the edges' field from first to second order. */
export const ORDER_CHANGE = 'order_change'

/**
 * Names of a run's fields: the total; the totals with coarser rays and the change of the edge field from first to second order;
 * with mechanisms the contribution of the edges by first order and by each mechanism of second order, and last those of the bounces. Rows end with the last bounce that contributes to them.
 * @param bounces  number of bounces, where the run has them apart
 */
export function fieldNames(engines: Engines, bounces = bouncesApart(engines).most): string[] {
  const { facets, edges, mechanisms, coarser = [] } = engines
  const change = engines.orderChange && edges ? [ORDER_CHANGE] : []
  const edge = mechanisms && (edges || drawsEdges(facets)) ? ['edge'] : []
  const apart = Array.from({ length: bounces }, (_, m) => `b${m + 1}`)
  return ['total', ...coarser.map(coarserName), ...change, ...edge, ...layersApart(engines), ...apart]
}

/** Mechanisms of second order whose fields a run has apart, after that of first order. */
const layersApart = ({ mechanisms, edges }: Pick<Engines, 'mechanisms' | 'edges'>): SecondOrder[] =>
  mechanisms === true && edges?.options.apart
    ? SECOND_ORDER.filter((name) => edges.options.secondOrder?.includes(name))
    : []

/** Rays and edges concurrently, without barriers. */
const overlapped: SolveSides = async (engines, aspect, band, _, signal) => {
  const { edges } = engines
  const spans: Span[] = []
  const start = performance.now() / 1000
  const note = (lane: Span['lane'], span: Pick<Span, 'start' | 'end' | 'alone'>): void => {
    spans.push({ lane, what: 'all', part: 0, ...span })
  }
  const rays = async (): Promise<AspectResult> => {
    const result = await facetField(engines, aspect, band, signal)
    const end = performance.now() / 1000
    // Without the time in the queue.
    note('sbr', { start: end - result.times.total, end })
    return result
  }
  const diffraction = async (): Promise<EdgeResult | undefined> => {
    const result = await edges?.engine.field({ aspect, band, options: edges.options }, signal)
    if (result) note('edges', result.span ?? { start, end: performance.now() / 1000 })
    return result
  }
  const [facets, edge] = await Promise.all([rays(), diffraction()])
  const threads = edges?.engine.describe().threads ?? 1
  const prepare = (edge?.times.prepare ?? 0) / threads
  const evaluate = (edge?.times.evaluate ?? 0) / threads
  return {
    facets,
    edge: edge && { field: edge.field, parts: edge.parts, segments: edge.visibleSegments, prepare, evaluate },
    detail: {
      partSeconds: facets.partSeconds,
      edgesPerPart: edges ? [edges.engine.segments({ aspect, band, options: edges.options })] : [],
      edgeSecondsPerPart: edge ? [prepare + evaluate] : [],
      spans,
    },
    timings: null,
  }
}

/** Every schedule by its name. */
const SOLVE_SIDES: Record<Schedule, SolveSides> = { ...PAPER_SCHEDULES, overlapped }

/** Every schedule. */
export const SCHEDULES = Object.keys(SOLVE_SIDES) as readonly Schedule[]

/** Computes one aspect over one band. `previous`: timings of the aspect before, for the dynamic schedule. */
export async function solveAspect(
  engines: Engines,
  aspect: Aspect,
  band: Band,
  previous: AspectTimings | null,
  signal: AbortSignal,
): Promise<SolvedAspect> {
  const start = performance.now()
  const { facets, mechanisms, schedule } = engines
  const sides = await SOLVE_SIDES[schedule](engines, aspect, band, previous, signal)
  const { edge } = sides
  const bounces = await fieldsApart(engines, aspect, band, sides.facets, signal)
  const drawn =
    mechanisms && drawsEdges(facets) ? [await facetField(engines, aspect, band, signal, 'edges')] : []
  const coarser: AspectResult[] = []
  for (const factor of engines.coarser ?? [])
    coarser.push(await facetField(atDensity(engines, factor), aspect, band, signal))
  const change =
    engines.orderChange && edge && (await orderChange(engines.edges!, edge, aspect, band, signal))
  const report = emptyReport()
  for (const { times } of [sides.facets, ...bounces, ...drawn, ...coarser]) {
    report.trace += times.trace
    report.field += times.field
    report.reduction += times.reduction
  }
  Object.assign(report, sides.facets.statistics)
  if (edge) Object.assign(report, { prepare: edge.prepare, evaluate: edge.evaluate, segments: edge.segments })
  if (change) {
    report.prepare += change.prepare
    report.evaluate += change.evaluate
  }
  report.total = (performance.now() - start) / 1000
  return {
    fields: [
      totalOf(sides.facets, edge?.field),
      ...coarser.map((rays) => totalOf(rays, edge?.field)),
      ...(change ? [change.field] : []),
      ...drawn.map((d) => d.field),
      ...(mechanisms && edge ? (layersApart(engines).length > 0 ? edge.parts! : [edge.field]) : []),
      ...bounces.map((b) => b.field),
    ],
    report,
    detail: sides.detail,
    timings: sides.timings,
  }
}

/** The bounces that are computed separately, up to the last that contributes to the facets' field. */
async function fieldsApart(
  engines: Engines,
  aspect: Aspect,
  band: Band,
  { statistics: all }: AspectResult,
  signal: AbortSignal,
): Promise<AspectResult[]> {
  const { least, most } = bouncesApart(engines)
  const bounces: AspectResult[] = []
  for (let found = 0; bounces.length < most && (bounces.length < least || found < all.contributions);) {
    const result = await facetField(engines, aspect, band, signal, bounces.length + 1)
    found += result.statistics.contributions
    bounces.push(result)
  }
  return bounces
}

/** Edge diffraction that an aspect needs besides that of its total, and seconds of work per thread. */
interface EdgePart {
  field: AspectField
  prepare: number
  evaluate: number
}

async function edgePart(
  { engine }: NonNullable<Engines['edges']>,
  aspect: Aspect,
  band: Band,
  options: EdgeOptions,
  signal: AbortSignal,
): Promise<EdgePart> {
  const { field, times } = await engine.field({ aspect, band, options }, signal)
  const { threads } = engine.describe()
  return { field, prepare: times.prepare / threads, evaluate: times.evaluate / threads }
}

/**
 * Change of the edge field from first to second order: that of the run's own order minus the other. A run with some mechanisms of
 * second order is compared with those of the uniform theory.
 */
async function orderChange(
  edges: NonNullable<Engines['edges']>,
  own: NonNullable<SidesResult['edge']>,
  aspect: Aspect,
  band: Band,
  signal: AbortSignal,
): Promise<EdgePart> {
  const { options } = edges
  const isUniform = UNIFORM.every((name) => options.secondOrder?.includes(name))
  const changeFrom = (other: AspectField): AspectField => own.field.map((x, i) => x - other[i])
  if (isUniform && own.parts) return { field: changeFrom(own.parts[0]), prepare: 0, evaluate: 0 }
  const secondOrder = isUniform ? [] : UNIFORM
  const of = { ...options, secondOrder, apart: undefined }
  const { field: other, ...times } = await edgePart(edges, aspect, band, of, signal)
  return { field: changeFrom(other), ...times }
}

function totalOf(facets: AspectResult, edges: AspectField | undefined): AspectField {
  return edges ? facets.field.map((x, i) => x + edges[i]) : facets.field.slice()
}

/** The engines with `factor` times the tubes per wavelength. Edges have no density: they are integrated whole. */
const atDensity = (engines: Engines, factor: number): Engines => ({
  ...engines,
  options: { ...engines.options, raysPerWavelength: factor * engines.options.raysPerWavelength },
})

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
