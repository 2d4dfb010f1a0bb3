import type { PropagationEngine, PropagationResult } from '../cpu-engine.js'
import { rayCount } from '../paths/geodesic.js'
import type { LoadedScene } from '../scene/load-scene.js'
import { SUM } from '../setup.js'
import { decibels, NOTHING_DB } from './table.js'

/** A run with fewer rays against the run with all. */
export interface ConvergenceStep {
  rays: number
  paths: number
  /** Paths found, as a part of all that the finest run found. */
  pathShare: number
  /** Change of path gain (both receive channels) to the finest run over receivers: median, and 95th percentile [dB]. */
  medianDb: number
  ninetyFiveDb: number
}

/**
 * Runs again with a quarter and a half of the rays. A ray only finds paths, so that more rays add paths and change none: what
 * the last doubling changed bounds what a further one would, unless the scene has finer openings still.
 */
export async function convergence(
  engine: PropagationEngine,
  loaded: LoadedScene,
  subdivision: number,
  finest: PropagationResult,
  signal?: AbortSignal,
): Promise<ConvergenceStep[]> {
  const excitations = loaded.scene.freqHz.length * loaded.scene.transmit.length
  const all = gains(finest, excitations)
  const steps: ConvergenceStep[] = []
  for (const part of [1 / 2, Math.SQRT1_2, 1]) {
    const n = Math.max(1, Math.round(part * subdivision))
    const result = n === subdivision ? finest : await engine.run({ subdivision: n }, undefined, signal)
    const changes = gains(result, excitations)
      .map((g, i) => Math.abs(Math.max(g, all[i] - 60) - all[i]))
      .filter((_, i) => all[i] > NOTHING_DB)
      .sort()
    steps.push({
      rays: rayCount(n),
      paths: result.statistics.paths,
      pathShare: finest.statistics.paths > 0 ? result.statistics.paths / finest.statistics.paths : 1,
      medianDb: changes.at(changes.length >> 1) ?? 0,
      ninetyFiveDb: changes.at(Math.floor(0.95 * changes.length)) ?? 0,
    })
  }
  return steps
}

/** Power of both receive channels per receiver and excitation, up to a factor [dB]. */
const gains = ({ sums }: PropagationResult, excitations: number): Float64Array =>
  Float64Array.from({ length: sums.length / SUM.length / excitations }, (_, r) => {
    const at = SUM.length * excitations * r + SUM.transfer
    return decibels(sums.subarray(at, at + 4).reduce((s, x) => s + x * x, 0))
  })

export const convergenceCsv = (steps: ConvergenceStep[]): string =>
  [
    'rays,paths,path_share,median_change_db,change_95_percent_db',
    ...steps.map((s) =>
      [s.rays, s.paths, s.pathShare.toFixed(6), s.medianDb.toFixed(6), s.ninetyFiveDb.toFixed(6)].join(),
    ),
    '',
  ].join('\n')
