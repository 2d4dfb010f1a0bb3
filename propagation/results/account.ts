import { describeReport, type Target } from '../../scene/index.js'
import { rayCount, subdivisionFor } from '../paths/geodesic.js'
import type { PropagationTable } from './table.js'

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
