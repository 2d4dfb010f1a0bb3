import { atX, atY, type Axes, ghz } from './index.js'
import { namedPoint } from './map-figure.js'
import { rect } from './axes.js'
import { ascending, linePlot, mapPlot } from './node.js'
import { C0 } from '../../scene/index.js'
import { rayCount, subdivisionFor } from '../../propagation/paths/geodesic.js'
import type { ReceiverSet } from '../../propagation/scene/load-scene.js'
import { decibels, NOTHING_DB, pathPower, type PropagationTable } from '../../propagation/results/table.js'

/** Levels shown below the highest [dB]. */
const DEPTH = 100
/** Below the strongest path [dB]. */
const PATH_DEPTH = 60

/** The picture of a set of receivers: a curve along a line, a map of a grid, or points by number. SVG document. */
export function setPlot(table: PropagationTable, set: ReceiverSet): string {
  const { scene, file } = table.loaded
  const title = `${file.name}, ${set.name}`
  if (set.grid && set.grid.columns > 1 && set.grid.rows > 1) {
    const [channel] = table.channels
    const { x, y, z } = set.grid
    const levels = Float32Array.from({ length: set.count }, (_, i) =>
      table.inside[set.first + i] ? NaN : table.gain(set.first + i, 0, channel),
    )
    const reached = levels.filter((v) => v > NOTHING_DB)
    const high = 5 * Math.ceil(reached.reduce((a, b) => Math.max(a, b), NOTHING_DB) / 5)
    const lowest = reached.reduce((a, b) => Math.min(a, b), high - 5)
    return mapPlot({
      ...ascending({ levels, x, y }),
      title,
      subtitle: `path gain ${channel.toUpperCase()}, ${ghz(scene.freqHz[0])}, receivers at z = ${z} m`,
      xTitle: 'x [m]',
      yTitle: 'y [m]',
      low: Math.max(high - DEPTH, 5 * Math.floor(lowest / 5)),
      high,
      unit: 'dB',
      colours: 'viridis',
      square: true,
      nothing: 'no path',
      solid: 'building',
      overlay: (axes) => [...outlines(table, axes), ...namedPoint(scene.transmitter, 'Tx', axes)],
    })
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
    subtitle: `${ghz(scene.freqHz[0])} · ${file.maxReflections} reflection${file.maxReflections === 1 ? '' : 's'} · ${rayCount(subdivisionFor(file.rays)).toLocaleString('en')} rays`,
    // Between receivers one by one there is nothing.
    stems: !set.along,
    xTitle: set.along ? 'Distance along the line [m]' : 'Receiver',
    yTitle: 'Path gain [dB]',
    depth: DEPTH,
    series: curves.filter((s) => Math.max(...s.y) > highest - DEPTH),
  })
}

/** Power of the paths of one receiver against their delay. SVG document. */
export function delayPlot(table: PropagationTable, receiver: number): string {
  const { scene, file } = table.loaded
  const polarisations = scene.transmit.length
  const paths = table.result.paths
    .filter((p) => p.receiver === receiver)
    .map((p) => ({ delay: (1e9 * p.length) / C0, gain: decibels(pathPower(p, polarisations)) }))
  const strongest = Math.max(...paths.map((p) => p.gain))
  const shown = paths.filter((p) => p.gain > strongest - PATH_DEPTH)
  const low = 5 * Math.floor(Math.min(...shown.map((p) => p.gain - 5)) / 5)
  const { delaySpread } = table.figures(receiver, 0, scene.transmit[0])
  return linePlot({
    title: `${file.name}, receiver ${receiver}: channel impulse response`,
    subtitle: `${paths.length} paths · rms delay spread ${(1e9 * delaySpread).toPrecision(3)} ns · ${ghz(scene.freqHz[0])}`,
    xTitle: 'Delay [ns]',
    yTitle: 'Path gain [dB]',
    yRange: [low, 5 * Math.ceil((strongest + 1) / 5)],
    series: [{ name: 'paths', x: shown.map((p) => p.delay), y: shown.map((p) => p.gain) }],
    stems: true,
  })
}

/** Bodies seen from above. */
const outlines = ({ loaded }: PropagationTable, axes: Axes): string[] =>
  loaded.file.geometry.flatMap((part) => {
    if (!('box' in part) || part.box.inward) return []
    const { min, max } = part.box
    const [left, top] = [atX(axes, min[0]), atY(axes, max[1])]
    const [width, height] = [atX(axes, max[0]) - left, atY(axes, min[1]) - top]
    return [rect(left, top, width, height, 'fill="none" stroke="#1b1f24"')]
  })
