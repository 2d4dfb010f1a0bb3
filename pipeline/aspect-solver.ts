import type { EdgeEngine, EdgeOptions } from '../cpu-diffraction/index.js'
import type { Band } from '../scene/band.js'
import type { Aspect } from '../scene/direction.js'
import type { AspectField, SbrEngine, SbrOptions } from '../scene/sbr.js'

/** Seconds and counts of one aspect. Times are busy times of a device or sums over threads, `total` is wall time. */
export interface AspectReport {
  trace: number
  field: number
  reduction: number
  /** Frequency-independent and frequency-dependent part of edge diffraction. */
  prepare: number
  evaluate: number
  total: number
  tubes: number
  leaves: number
  contributions: number
  segments: number
}

export const emptyReport = (): AspectReport => ({
  trace: 0,
  field: 0,
  reduction: 0,
  prepare: 0,
  evaluate: 0,
  total: 0,
  tubes: 0,
  leaves: 0,
  contributions: 0,
  segments: 0,
})

/** The engines of a run and what it asks of them. */
export interface Engines {
  sbr: SbrEngine
  options: SbrOptions
  /** Edge diffraction, where wanted. */
  edges?: { engine: EdgeEngine; options: EdgeOptions }
  /** Also compute each bounce's part on its own. */
  mechanisms: boolean
}

/** Names of a run's fields: the total and, with mechanisms, what each bounce and the edges give of it. */
export function fieldNames({ options, edges, mechanisms }: Engines): string[] {
  if (!mechanisms) return ['total']
  const bounces = Array.from({ length: options.maxBounces }, (_, m) => `b${m + 1}`)
  return ['total', ...bounces, ...(edges ? ['edge'] : [])]
}

/** Computes one aspect over one band: the fields of `fieldNames`, raw amplitudes F [m] about the mesh's origin. */
export async function solveAspect(
  engines: Engines,
  aspect: Aspect,
  band: Band,
  signal: AbortSignal,
): Promise<{ fields: AspectField[]; report: AspectReport }> {
  const start = performance.now()
  const { sbr, options, edges, mechanisms } = engines
  const bounces = mechanisms ? Array.from({ length: options.maxBounces }, (_, m) => m + 1) : []
  const [main, edge, ...parts] = await Promise.all([
    sbr.aspect({ aspect, band, options }, signal),
    edges?.engine.aspect({ aspect, band, options: edges.options }, signal),
    ...bounces.map((onlyBounce) => sbr.aspect({ aspect, band, options: { ...options, onlyBounce } }, signal)),
  ])
  const total = main.field.slice()
  if (edge) for (let i = 0; i < total.length; i++) total[i] += edge.field[i]
  const report = emptyReport()
  for (const { times } of [main, ...parts]) {
    report.trace += times.trace
    report.field += times.field
    report.reduction += times.reduction
  }
  Object.assign(report, main.statistics)
  if (edge) {
    report.prepare = edge.times.prepare
    report.evaluate = edge.times.evaluate
    report.segments = edge.visibleSegments
  }
  report.total = (performance.now() - start) / 1000
  return {
    fields: [total, ...parts.map((p) => p.field), ...(mechanisms && edge ? [edge.field] : [])],
    report,
  }
}
