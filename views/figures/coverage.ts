import type { CoverageData, PlotData } from './data.js'
import { InputError } from '../../scene/index.js'
import { drawnLayers, linesOf, type NamedCurve } from './curves.js'
import { difference, type Grid, highest, levelsOf, nearest, shown } from '../../isar/levels.js'
import { namedPoint } from './labels.js'
import { mapFigure, type MapSpec } from './map-figure.js'
import { ghz, sameValue, setBeside, type Settings, titled, type View } from './tabs.js'

/** Path gain of a set of receivers: a map where they are a grid of x and y, else over the way from the first to the last. */
export function coverageView(
  result: PlotData,
  other: PlotData | null,
  set: number,
  settings: Settings,
): View {
  const coverage = result.coverage!
  const { name } = coverage.sets[set]
  const gains = gainsOf(coverage, set, settings)
  const grid = gridOf(coverage, set, gains)
  const beside = other ? setBeside(result, other, set) : set
  /** Of the second result at the same frequency; null where it has it not. */
  const gainsBeside = (layer: string, slider: number): Float32Array | null => {
    const { freqHz, layers, sets } = other?.coverage ?? { freqHz: [], layers: [], sets: [] }
    const at = freqHz.findIndex((f) => sameValue(f, coverage.freqHz[slider]))
    if (at < 0 || !sets[beside] || !layers.some((l) => l.name === layer)) return null
    return gainsOf(other!.coverage!, beside, { layer, slider: at })
  }
  const titleOf = (layer: string): string => coverage.layers.find((l) => l.name === layer)!.title
  const channel = titleOf(settings.layer)
  const frequency = ghz(coverage.freqHz[settings.slider])
  const title = `${result.name}, ${name}, ${channel}`
  const high = settings.top ?? 5 * Math.ceil(highest(gains) / 5)
  const low = high - settings.depth
  if (grid) {
    const base = settings.compare === 'difference' ? gainsBeside(settings.layer, settings.slider) : null
    const from = base && gridOf(other!.coverage!, beside, base)
    const drawn = from ? { ...grid, levels: difference(grid, from, low) } : grid
    const spec: MapSpec = {
      ...drawn,
      title,
      subtitle: `path gain at ${frequency}, z ${shown(coverage.positionM[3 * coverage.sets[set].first + 2], 2)} m`,
      xTitle: 'x [m]',
      yTitle: 'y [m]',
      low,
      high,
      unit: 'dB',
      colours: settings.colours,
      square: true,
      window: settings.window,
      overlay: (axes) => (coverage.transmitterM ? namedPoint(coverage.transmitterM, 'Tx', axes) : []),
      ...(from
        ? { low: -settings.depth / 2, high: settings.depth / 2, colours: 'difference' }
        : { levels: solidsMarked(coverage, set, gains), nothing: 'no path', solid: 'building' }),
    }
    return {
      grid: drawn,
      axes: { x: 'x', xUnit: 'm', y: 'y', yUnit: 'm' },
      unit: 'dB',
      draw: (width, height, palette, paint) =>
        mapFigure(titled(spec, settings), width, height, palette, paint),
    }
  }
  const layers = drawnLayers(settings)
  const sliders = settings.sliders ?? [settings.slider]
  const curvesOf = (data: PlotData, place: string[]): NamedCurve[] =>
    sliders.flatMap((slider) =>
      layers.flatMap((layer) => {
        const y = data === other ? gainsBeside(layer, slider) : gainsOf(coverage, set, { layer, slider })
        if (!y) return []
        const { x, dots } = xOf(data.coverage!, data === other ? beside : set, settings.log === true)
        return {
          name: '',
          x,
          y,
          ...(dots && { dots }),
          family: [...place, ...(sliders.length > 1 ? [ghz(coverage.freqHz[slider])] : [])].join(', '),
          channels: [titleOf(layer)],
        }
      }),
    )
  return linesOf(
    [...curvesOf(result, other ? [result.place] : []), ...(other ? curvesOf(other, [other.place]) : [])],
    settings,
    {
      title: [result.name, name, ...(layers.length === 1 ? [channel] : [])].join(', '),
      subtitle: sliders.length === 1 ? `path gain at ${frequency}` : 'path gain',
      xTitle: settings.log ? 'Distance from the transmitter [m]' : 'Distance along the receivers [m]',
      yTitle: 'Path gain [dB]',
      lone: layers.length === 1 ? channel : '',
      log: settings.log,
      // Of one receiver there is no line.
      stems: coverage.sets[set].count === 1,
    },
    'dB',
    { axes: { x: 'distance', xUnit: 'm', y: '', yUnit: '' } },
  )
}

/** Radius of a receiver's dot. */
const DOT = 1.6

/** Where a set's receivers stand on the horizontal axis: along them, or by their distance from the transmitter, as dots where that goes to and fro. */
function xOf(coverage: CoverageData, set: number, log: boolean): { x: Float64Array; dots?: number } {
  if (!log) return { x: wayOf(coverage, set) }
  const { first, count } = coverage.sets[set]
  const { positionM: p, transmitterM: t } = coverage
  if (!t) throw new InputError('--log: the result does not say where the transmitter is; compute it again')
  const x = Float64Array.from({ length: count }, (_, i) => {
    const at = 3 * (first + i)
    return Math.hypot(p[at] - t[0], p[at + 1] - t[1], p[at + 2] - t[2])
  })
  const rising = (of: Float64Array): boolean => of.every((v, i) => i === 0 || v >= of[i - 1])
  return { x, ...(!rising(x) && !rising(x.slice().reverse()) && { dots: DOT }) }
}

/** Whether a set is drawn as a map, not as curves; a lone receiver is a curve of one point. */
export const isMap = (coverage: CoverageData, set: number): boolean =>
  gridOf(coverage, set, new Float32Array(coverage.sets[set].count)) !== null

/** Whether a set is drawn as curves over distance that a logarithmic axis suits. */
export const isLine = (coverage: CoverageData, set: number): boolean =>
  coverage.sets[set].count > 1 && !isMap(coverage, set)

/** Number of the receiver of a set that stands nearest to a point of its figure, map or curve. */
export function receiverAt(coverage: CoverageData, set: number, x: number, y: number, log = false): number {
  const { first, count } = coverage.sets[set]
  const grid = gridOf(coverage, set, new Float32Array(count))
  if (grid) {
    const [c, r] = [nearest(grid.x, x), nearest(grid.y, y)]
    return first + Math.max(0, r) * grid.x.length + Math.max(0, c)
  }
  const way = xOf(coverage, set, log).x
  return first + way.reduce((best, w, i) => (Math.abs(w - x) < Math.abs(way[best] - x) ? i : best), 0)
}

/** Where a receiver stands in the figure of its set: the point of the map, or how far along the curve. */
export function placeOfReceiver(
  coverage: CoverageData,
  set: number,
  receiver: number,
  log = false,
): [number, number] {
  const { first, count } = coverage.sets[set]
  const [x, y] = coverage.positionM.subarray(3 * receiver, 3 * receiver + 2)
  const grid = gridOf(coverage, set, new Float32Array(count))
  return grid ? [x, y] : [xOf(coverage, set, log).x[receiver - first], 0]
}

/** Path gains of a set's receivers at one frequency [dB]. */
export function gainsOf(
  { layers, sets, positionM }: CoverageData,
  set: number,
  { layer, slider }: Pick<Settings, 'layer' | 'slider'>,
): Float32Array {
  const { first, count } = sets[set]
  const data = (layers.find((l) => l.name === layer) ?? layers[0]).data
  const from = slider * (positionM.length / 3) + first
  return levelsOf(data.subarray(2 * from, 2 * (from + count)))
}

/** The levels with NaN at receivers inside buildings. */
function solidsMarked({ sets, inside }: CoverageData, set: number, levels: Float32Array): Float32Array {
  const { first, count } = sets[set]
  const marked = levels.slice()
  for (const receiver of inside)
    if (receiver >= first && receiver < first + count) marked[receiver - first] = NaN
  return marked
}

/** Way from receiver to receiver [m]. */
function wayOf({ positionM: p, sets }: CoverageData, set: number): Float64Array {
  const { first, count } = sets[set]
  const way = new Float64Array(count)
  for (let i = 1; i < count; i++) {
    const at = 3 * (first + i)
    way[i] = way[i - 1] + Math.hypot(p[at] - p[at - 3], p[at + 1] - p[at - 2], p[at + 2] - p[at - 1])
  }
  return way
}

/** The receivers as a grid of evenly spaced x (fastest) and y at one height; null where they are none. */
function gridOf({ positionM: p, sets }: CoverageData, set: number, levels: Float32Array): Grid | null {
  const { first, count } = sets[set]
  const at = (i: number, c: number): number => p[3 * (first + i) + c]
  let columns = 1
  while (columns < count && at(columns, 1) === at(0, 1)) columns++
  const rows = count / columns
  if (columns < 2 || rows < 2 || !Number.isInteger(rows)) return null
  const x = Float64Array.from({ length: columns }, (_, i) => at(i, 0))
  const y = Float64Array.from({ length: rows }, (_, i) => at(i * columns, 1))
  const step = [x[1] - x[0], y[1] - y[0]]
  if (!(step[0] > 0 && step[1] > 0)) return null
  for (let i = 0; i < count; i++) {
    const [c, r] = [i % columns, Math.floor(i / columns)]
    const off = Math.hypot(at(i, 0) - x[0] - c * step[0], at(i, 1) - y[0] - r * step[1], at(i, 2) - at(0, 2))
    if (off > 1e-6 * Math.hypot(...step)) return null
  }
  return { levels, x, y }
}
