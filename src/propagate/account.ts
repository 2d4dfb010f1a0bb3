import { rayCount, subdivisionFor } from '../../propagation/index.js'
import { describeReport, type Target } from '../../scene/index.js'
import { VERSION } from '../version.js'
import type { PropagationTable } from './results.js'

/** What is odd about a scene's surfaces. Scenes are open by nature: that is left out. */
export const shellWarnings = ({ report }: Target): string[] =>
  describeReport(report).filter((line) => !/not closed/.test(line))

/** What is odd about a result. */
export function resultWarnings(table: PropagationTable): string[] {
  const { escaped } = table.result.statistics
  const silent = silentReceivers(table)
  return [
    ...(escaped > 0 ? [`${escaped} rays slipped through seams of the mesh and were dropped`] : []),
    ...(silent > 0 ? [`${silent} of ${table.receivers} receivers are reached by no path (-300 dB)`] : []),
  ]
}

function silentReceivers(table: PropagationTable): number {
  let silent = 0
  for (let r = 0; r < table.receivers; r++)
    if (table.loaded.scene.transmit.every((t) => table.figures(r, 0, t).pathPower === 0)) silent++
  return silent
}

/** What `meta.json` of `isar propagate` holds. */
export function propagationMeta(
  table: PropagationTable,
  sceneSha256: string,
  device: string,
  options: object,
): Record<string, unknown> {
  const { file, scene, sets, powerDbm } = table.loaded
  const { statistics, seconds } = table.result
  return {
    command: 'propagate',
    version: VERSION,
    scene: file,
    scene_sha256: sceneSha256,
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
