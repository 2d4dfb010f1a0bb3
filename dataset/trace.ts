import type { EdgeScene } from '../cpu-diffraction/index.js'
import { type Aspect, type Band, direction, type Vec3 } from '../scene/index.js'
import { type Channel, CHANNELS, type RayScene } from '../rays/index.js'
import { coarserName, fieldNames } from '../pipeline/aspect-solver.js'
import type { AspectDetail, Engines } from '../pipeline/engines.js'
import { RowStore } from '../pipeline/row-store.js'
import { rowField, rowLength, rowReport, runSweep } from '../pipeline/sweep.js'
import type { SweepJob } from '../pipeline/sweep-job.js'
import { type Look, lookAzimuths } from './plan.js'
import type { Radar } from './radar.js'

/** A target in one pose and copy, ready to be traced. */
export interface Variant {
  scene: RayScene
  /** Diffracting edges, for labels. */
  edges: EdgeScene | null
  phaseCentre: Vec3
  engines: Engines
  /** Told of the aspects of each batch, where a cluster wants to know. */
  progress?: (done: number, total: number) => void
  close: () => Promise<void>
}

/** Fewer rays and segments per wavelength, for the estimate of convergence. */
export const COARSER = 0.5

/** Looks of one variant that are traced in one sweep, and the aspects that they need. */
export interface Batch {
  looks: Look[]
  aspects: Aspect[]
  /** Per look the numbers of its aspects. */
  numbers: number[][]
}

/** Rows of a batch that are kept in memory at once [bytes]. */
export const BATCH_BYTES = 2 ** 27

export const radarBand = ({ freqHz }: Radar): Band => ({
  f0: freqHz[0],
  df: (freqHz[freqHz.length - 1] - freqHz[0]) / (freqHz.length - 1),
  n: freqHz.length,
})

/** Cuts a shard's looks, in their order, into batches. @param fields  how many of them a row holds */
export function batchesOf(looks: Look[], radar: Radar, fields: number): Batch[] {
  const most = Math.max(1, Math.floor(BATCH_BYTES / (64 * radar.freqHz.length * fields * radar.angles)))
  const batches: Batch[] = []
  let group: Look[] = []
  const close = (): void => {
    if (group.length) batches.push(batchOf(group, radar))
    group = []
  }
  for (const look of looks) {
    const last = group.at(-1)
    const goesOn =
      last?.target === look.target &&
      last.state === look.state &&
      last.copy === look.copy &&
      (look.firstAspect === undefined || last.elevationDeg === look.elevationDeg)
    if (!goesOn || group.length >= most) close()
    group.push(look)
  }
  close()
  return batches
}

function batchOf(looks: Look[], radar: Radar): Batch {
  const aspects: Aspect[] = []
  /** Of shared aspects by their numbers on the sweep's grid. */
  const known = new Map<number, number>()
  const numbers = looks.map((look) =>
    Array.from(lookAzimuths(look, radar.angles), (azimuth, m) => {
      const g = look.firstAspect === undefined ? undefined : look.firstAspect + m
      const there = g === undefined ? undefined : known.get(g)
      if (there !== undefined) return there
      const d = direction(90 - look.elevationDeg, azimuth)
      if (g !== undefined) known.set(g, aspects.length)
      return aspects.push({ tx: d, rx: d }) - 1
    }),
  )
  return { looks, aspects, numbers }
}

/** The rows of a batch, and what they took. */
export interface Traced {
  job: SweepJob
  names: string[]
  store: RowStore
  details: Map<number, AspectDetail>
}

/**
 * Computes a batch, going on with the rows that `folder` keeps. Rejects with the engines' failure or the signal's reason.
 */
export async function traceBatch(
  variant: Variant,
  radar: Radar,
  batch: Batch,
  folder: string,
  key: string,
  onAspects: (done: number, total: number) => void,
  signal?: AbortSignal,
): Promise<Traced> {
  const { engines, phaseCentre } = variant
  const job: SweepJob = {
    aspects: batch.aspects,
    bands: [radarBand(radar)],
    phaseCentre,
  }
  const names = fieldNames(engines)
  const store = await RowStore.open(folder, key, rowLength(job, names.length), true)
  try {
    const details = await runSweep(
      engines,
      job,
      store,
      ({ done, total }) => {
        variant.progress?.(done, total)
        onAspects(done, total)
      },
      signal,
    )
    return { job, names, store, details }
  } finally {
    store.close()
  }
}

/** Fields of a look, [channel][frequency][aspect], by name, and the sums of its aspects' counts. */
export function lookFields(
  { job, names, store }: Traced,
  numbers: number[],
  channels: Channel[],
): {
  fields: Record<string, Float64Array>
  counts: { tubes: number; contributions: number; segments: number }
} {
  const rows = numbers.map((a) => store.rows.get(a)!)
  const n = job.bands[0].n
  const fields = Object.fromEntries(
    names.map((name, i) => {
      const out = new Float64Array(2 * channels.length * n * rows.length)
      rows.forEach((row, m) => {
        const field = rowField(job, row, i)
        channels.forEach((channel, c) => {
          const from = 2 * CHANNELS.indexOf(channel)
          for (let f = 0; f < n; f++) {
            const to = 2 * ((c * n + f) * rows.length + m)
            out[to] = field[8 * f + from]
            out[to + 1] = field[8 * f + from + 1]
          }
        })
      })
      return [name === coarserName(COARSER) ? 'coarser' : name, out]
    }),
  )
  const counts = { tubes: 0, contributions: 0, segments: 0 }
  for (const row of rows) {
    const report = rowReport(row)
    for (const key of ['tubes', 'contributions', 'segments'] as const) counts[key] += report[key]
  }
  return { fields, counts }
}
