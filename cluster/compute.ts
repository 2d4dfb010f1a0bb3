import { EVALUATE_BLOCKS } from '../cpu-diffraction/index.js'
import { InputError } from '../scene/index.js'
import type { WorkerEngines } from './targets.js'
import { type Answer, pack, type Unit, unitAspect } from './wire.js'

/** Limit of ray tubes of a job from the network; a local run is refused from 5e10. */
const MAX_TUBES = 1e11

/** Limit of edge segments of a job, before visibility: some hours of one worker. */
const MAX_SEGMENTS = 1e9

/** Computes one unit of work, with the same code as a local run. */
export function compute(unit: Unit, engines: WorkerEngines, worker: string): Promise<Answer> {
  return unit.what === 'sbr' ? computeRays(unit, engines, worker) : computeEdges(unit, engines, worker)
}

async function computeRays(
  unit: Extract<Unit, { what: 'sbr' }>,
  { sbr, tubes }: WorkerEngines,
  worker: string,
): Promise<Answer> {
  const { options, band, tiles } = unit
  const job = { aspect: unitAspect(unit), band, options, tiles }
  if (tubes(job) > MAX_TUBES) throw new InputError(`a job of ${tubes(job)} ray tubes is refused`)
  const { field, totals, statistics, times, partSeconds } = await sbr.field(job)
  return {
    what: 'sbr',
    unit: unit.unit,
    worker,
    ...(totals ? { totals: pack(totals) } : { field: pack(field) }),
    statistics,
    times,
    partSeconds,
  }
}

async function computeEdges(
  unit: Extract<Unit, { what: 'edges' }>,
  { edges }: WorkerEngines,
  worker: string,
): Promise<Answer> {
  if (!edges) throw new InputError('the target has no edges that diffract')
  const { options, band, share } = unit
  const start = performance.now()
  const [index, of] = share
  const job = { aspect: unitAspect(unit), band, options }
  const segments = edges.segments(job)
  if (!(segments <= MAX_SEGMENTS)) throw new InputError(`a job of ${segments} edge segments is refused`)
  // Blocks are numbered across all edges, so every share first divides all of them into segments.
  const prepared = await edges.prepare(job)
  const first = Math.floor((prepared.blocks * index) / of)
  const end = Math.floor((prepared.blocks * (index + 1)) / of)
  const { threads } = edges.describe()
  const sums = await Promise.all(
    Array.from({ length: Math.ceil((end - first) / EVALUATE_BLOCKS) }, (_, t) => {
      const from = first + t * EVALUATE_BLOCKS
      return edges.evaluate(prepared, from, Math.min(from + EVALUATE_BLOCKS, end))
    }),
  )
  return {
    what: 'edges',
    unit: unit.unit,
    worker,
    field: pack(edges.finish(prepared, sums)),
    considered: prepared.consideredSegments,
    visible: prepared.visibleSegments,
    times: {
      prepare: prepared.seconds / threads,
      evaluate: sums.reduce((sum, { seconds }) => sum + seconds, 0) / threads,
      total: (performance.now() - start) / 1000,
    },
  }
}
