import type { PlotData } from './data.js'
import { highest, shown } from './levels.js'
import { type Curve, lineFigure, type LineSpec } from './line-figure.js'
import { ghz, layerOf } from './tabs.js'
import { type Settings, titled, type View } from './view.js'

const KINDS = ['direct', 'reflected', 'diffracted'] as const

/** Power-delay profile of a receiver: each path's gain over its delay, at the first frequency. */
export function delaysView(result: PlotData, settings: Settings): View {
  const { receiver, positionM, list } = result.paths!
  const { name: channel, title } = layerOf(result.coverage!.layers, settings.layer)
  const curves = KINDS.flatMap((kind): Curve[] => {
    const of = list.filter((p) => p.kind === kind).sort((a, b) => a.delayS - b.delayS)
    if (of.length === 0) return []
    return [
      {
        name: kind,
        x: Float64Array.from(of, (p) => 1e9 * p.delayS),
        y: Float64Array.from(of, (p) => p.gainDb[channel]),
      },
    ]
  })
  const high = settings.top ?? 5 * Math.ceil(Math.max(...curves.map((c) => highest(c.y))) / 5 + 0.5)
  const spec: LineSpec = {
    title: `${result.name}, receiver ${receiver}, ${title}`,
    subtitle: `at ${positionM.map((x) => shown(x, 2)).join(', ')} m, ${ghz(result.coverage!.freqHz[0])}`,
    xTitle: 'Delay [ns]',
    yTitle: 'Path gain [dB]',
    curves,
    low: high - settings.depth,
    high,
    stems: true,
  }
  return {
    curves,
    single: true,
    axes: { x: 'delay', xUnit: 'ns', y: '', yUnit: '' },
    unit: 'dB',
    draw: (width, height, palette) => lineFigure(titled(spec, settings), width, height, palette),
  }
}
