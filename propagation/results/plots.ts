import { linePlot, mapPng, mapSvg } from '../../plots/node.js'
import { C0 } from '../../scene/index.js'
import { rayCount, subdivisionFor } from '../paths/geodesic.js'
import type { ReceiverSet } from '../scene/load-scene.js'
import { decibels, NOTHING_DB, pathPower, type PropagationTable } from './table.js'

/** Levels shown below the highest [dB]. */
const DEPTH = 100
/** Below the strongest path [dB]. */
const PATH_DEPTH = 60

const ghz = (f: number): string => `${Number((f / 1e9).toPrecision(6))} GHz`

/** The picture of a set of receivers: a curve along a line, a map of a grid, or points by number. SVG and PNG. */
export async function setPlot(
  table: PropagationTable,
  set: ReceiverSet,
): Promise<{ svg: string; png: Uint8Array }> {
  const { scene, file } = table.loaded
  const title = `${file.name}, ${set.name}`
  if (set.grid && set.grid.columns > 1 && set.grid.rows > 1) {
    const [channel] = table.channels
    const { x, y, z } = set.grid
    const figure = {
      title,
      subtitle: `path gain ${channel.toUpperCase()}, ${ghz(scene.freqHz[0])}, receivers at z = ${z} m`,
      levels: Float64Array.from({ length: set.count }, (_, i) => table.gain(set.first + i, 0, channel)),
      x,
      y,
      nothing: NOTHING_DB,
      inside: table.inside.subarray(set.first, set.first + set.count),
      unit: 'dB',
      depth: DEPTH,
      boxes: file.geometry.flatMap((g) =>
        'box' in g && !g.box.inward
          ? [[g.box.min[0], g.box.min[1], g.box.max[0], g.box.max[1]] as [number, number, number, number]]
          : [],
      ),
      marker: { x: scene.transmitter[0], y: scene.transmitter[1], name: 'Tx' },
    }
    return { svg: mapSvg(figure), png: await mapPng(figure) }
  }
  // The other polarisation of a link is shown where it comes within sight.
  const numbers = Array.from({ length: set.count }, (_, i) => set.first + i)
  const curves = scene.freqHz.flatMap((f, n) =>
    table.channels.map((c) => ({
      name: scene.freqHz.length > 1 ? `${c.toUpperCase()}, ${ghz(f)}` : c.toUpperCase(),
      x: set.along ?? numbers.map((_, i) => i),
      y: numbers.map((r) => table.gain(r, n, c)),
    })),
  )
  const highest = Math.max(...curves.flatMap((s) => s.y))
  return linePlot({
    title,
    subtitle: `${ghz(scene.freqHz[0])} · ${file.maxReflections} reflections · ${rayCount(subdivisionFor(file.rays)).toLocaleString('en')} rays`,
    xTitle: set.along ? 'Distance along the line [m]' : 'Receiver',
    yTitle: 'Path gain [dB]',
    depth: DEPTH,
    series: curves.filter((s) => Math.max(...s.y) > highest - DEPTH),
  })
}

/** Power of the paths of one receiver against their delay. */
export function delayPlot(
  table: PropagationTable,
  receiver: number,
): Promise<{ svg: string; png: Uint8Array }> {
  const { scene, file } = table.loaded
  const polarisations = scene.transmit.length
  const paths = table.result.paths
    .filter((p) => p.receiver === receiver)
    .map((p) => ({ delay: (1e9 * p.length) / C0, gain: decibels(pathPower(p, polarisations)) }))
  const strongest = Math.max(...paths.map((p) => p.gain))
  const shown = paths.filter((p) => p.gain > strongest - PATH_DEPTH)
  const floor = 5 * Math.floor(Math.min(...shown.map((p) => p.gain - 5)) / 5)
  const { delaySpread } = table.figures(receiver, 0, scene.transmit[0])
  return linePlot({
    title: `${file.name}, receiver ${receiver}: channel impulse response`,
    subtitle: `${paths.length} paths · rms delay spread ${(1e9 * delaySpread).toPrecision(3)} ns · ${ghz(scene.freqHz[0])}`,
    xTitle: 'Delay [ns]',
    yTitle: 'Path gain [dB]',
    yRange: [floor, 5 * Math.ceil((strongest + 1) / 5)],
    series: [{ name: 'paths', ...spikes(shown, floor) }],
  })
}

/** A line that stands up from the floor at every path, with some room at both ends. */
function spikes(paths: { delay: number; gain: number }[], floor: number): { x: number[]; y: number[] } {
  const [first, last] = [paths[0].delay, paths[paths.length - 1].delay]
  const room = 0.05 * (last - first) || 1
  return {
    x: [first - room, ...paths.flatMap(({ delay }) => [delay, delay, delay]), last + room],
    y: [floor, ...paths.flatMap(({ gain }) => [floor, gain, floor]), floor],
  }
}
