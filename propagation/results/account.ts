import { describeReport, type Target } from '../../scene/index.js'
import type { PropagationEngine, PropagationResult } from '../cpu-engine.js'
import { rayCount, subdivisionFor } from '../paths/geodesic.js'
import type { LoadedScene } from '../scene/load-scene.js'
import { SUM } from '../setup.js'
import { decibels, NOTHING_DB, type PropagationTable } from './table.js'

/**
 * Of a receiver's power, the part by paths that one ray alone of three has found from which on others may be missing. In a tunnel with
 * fewer and fewer rays the first path was lost at 0.27 (docs/propagation.md).
 */
const MOST_SINGLE = 0.25
/** Of fewer paths that part says little: near the shadow of a corner one ray finds what there is. */
const FEW_PATHS = 10

/** What is odd about a scene's surfaces. Scenes are open by nature: that is left out. */
export const shellWarnings = ({ report }: Target): string[] =>
  describeReport(report).filter((line) => !/not closed/.test(line))

/** What is odd about a result. */
export function resultWarnings(table: PropagationTable): string[] {
  const { escaped } = table.result.statistics
  const { receivers, loaded } = table
  let [inside, silent, sparse, nearest] = [0, 0, 0, Infinity]
  for (let r = 0; r < receivers; r++) {
    if (table.inside[r]) inside++
    else if (!table.reached(r)) silent++
    const { paths, singleShare } = table.found(r)
    if (paths >= FEW_PATHS && singleShare > MOST_SINGLE) {
      sparse++
      nearest = Math.min(nearest, table.distance(r))
    }
  }
  return [
    ...(escaped > 0 ? [`${escaped} rays slipped through seams of the mesh and were dropped`] : []),
    ...(sparse > 0
      ? [
          `rays stand too far apart for ${sparse} of ${receivers} receivers, from ${Number(nearest.toPrecision(3))} m on: paths may be missing there; give --rays ${4 * loaded.file.rays}`,
        ]
      : []),
    ...(inside > 0 ? [`${inside} of ${receivers} receivers are inside buildings (-300 dB)`] : []),
    ...(silent > 0 ? [`no path found to ${silent} of ${receivers} receivers (-300 dB)`] : []),
  ]
}

/** What `meta.json` of `isar propagate` holds. @param run  version of isar, the engine's description, options as given */
export function propagationMeta(
  table: PropagationTable,
  { version, device, options }: { version: string; device: string; options: object },
): Record<string, unknown> {
  const { file, scene, sets, powerDbm, sha256 } = table.loaded
  const { statistics, seconds } = table.result
  return {
    command: 'propagate',
    version,
    scene: file,
    scene_sha256: sha256,
    freq_hz: scene.freqHz,
    power_dbm: powerDbm,
    rays: rayCount(subdivisionFor(file.rays)),
    subdivision: subdivisionFor(file.rays),
    device,
    options,
    receivers: sets.map(({ name, first, count }) => ({ name, first, count })),
    statistics,
    seconds,
  }
}

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
