import { difference, type Grid, highest, levelsOf, nearest, NOTHING, shown } from '../../isar/levels.js'
import { cutView, drawnLayers, historyMap, linesOf, type NamedCurve, profileView, scale } from './curves.js'
import {
  closest,
  type CoverageData,
  ghz,
  type ImageGridData,
  type LayerData,
  layerOf,
  type MapWindow,
  type MotionData,
  overTime,
  type PlotData,
  sameValue,
  setBeside,
  setOf,
  type Settings,
  type TabName,
  targetOf,
  titled,
  type View,
} from './data.js'
import { labelOverlay, type MapSpec, mapView, namedPoint, outlineOf, wholeOf } from './map-figure.js'
import { type Curve, lineFigure, type LineSpec } from './line-figure.js'
import { InputError } from '../../scene/index.js'

/** Spectrogram of a moving target with a line at the slider's time, or the range-Doppler map of the interval nearest to it. */
function motionView(name: string, motion: MotionData, tab: TabName, settings: Settings): View {
  const layer = layerOf(motion.layers, settings.layer)
  /** @param all  levels that the scale is of */
  const view = (
    spec: Pick<MapSpec, 'levels' | 'x' | 'y' | 'subtitle' | 'xTitle' | 'yTitle'>,
    all: Float32Array,
    axes: View['axes'],
  ): View => {
    const top = settings.top ?? highest(all)
    // Nothing at all is dark.
    const high = top > NOTHING ? top : 0
    const { colours, depth } = settings
    const scale = { high, low: high - depth, unit: 'dBsm', colours, smooth: true }
    return mapView({ ...spec, ...scale, title: `${name}, ${layer.title}` }, settings, axes)
  }
  if (tab === 'spectrogram') {
    const spec = {
      levels: layer.spectrogram,
      x: motion.timeS,
      y: motion.dopplerHz,
      subtitle: 'spectrogram',
      xTitle: 'Time [s]',
      yTitle: 'Doppler [Hz], positive: approaching',
    }
    const axes = { x: 'time', xUnit: 's', y: 'Doppler', yUnit: 'Hz' }
    return { ...view(spec, layer.spectrogram, axes), line: motion.timeS[settings.slider], steps: true }
  }
  const maps = motion.maps!
  const i = mapAt(motion, settings.slider)
  const size = maps.rangeM.length * maps.dopplerHz.length
  // One scale for all, as in a film.
  return view(
    {
      levels: layer.maps!.subarray(i * size, (i + 1) * size),
      x: maps.dopplerHz,
      y: maps.rangeM,
      subtitle: `map ${i + 1} of ${maps.timeS.length}, about ${shown(maps.timeS[i], 4)} s`,
      xTitle: 'Doppler [Hz], positive: approaching',
      yTitle: 'Range, away from the radar [m]',
    },
    layer.maps!,
    { x: 'Doppler', xUnit: 'Hz', y: 'range', yUnit: 'm' },
  )
}

/** Turns of a part that the first view of a spectrogram shows: four periods of two blades. */
const FIRST_TURNS = 2

/** The part of a long spectrogram that is shown first, a few periods of the blades about a time; undefined where that is most of it. */
export function firstWindow({ timeS, dopplerHz, turnS }: MotionData, column: number): MapWindow | undefined {
  const { x, y } = wholeOf({ levels: new Float32Array(), x: timeS, y: dopplerHz })
  const span = FIRST_TURNS * (turnS ?? Infinity)
  if (!(span < 0.5 * (x[1] - x[0]))) return undefined
  const from = Math.max(x[0], Math.min(x[1] - span, timeS[column] - span / 2))
  return { x: [from, from + span], y }
}

/** A view of a spectrogram that has gone on to a time outside it, by whole views. */
export function windowTo(window: MapWindow, { timeS, dopplerHz }: MotionData, time: number): MapWindow {
  const whole = wholeOf({ levels: new Float32Array(), x: timeS, y: dopplerHz }).x
  const [a, b] = window.x
  const span = b - a
  const by = time > b ? Math.max(span, time - b) : time < a ? Math.min(-span, time - a) : 0
  const from = Math.max(whole[0], Math.min(whole[1] - span, a + by))
  return { ...window, x: [from, from + span] }
}

/** Number of the range-Doppler map whose middle is nearest to a column of the spectrogram. */
export const mapAt = ({ timeS, maps }: MotionData, column: number): number =>
  closest(maps!.timeS, timeS[column])

const KINDS = ['direct', 'reflected', 'diffracted'] as const

/** Power-delay profile of a receiver: each path's gain over its delay, at the first frequency. */
function delaysView(result: PlotData, settings: Settings): View {
  const { receiver, positionM, list } = result.paths!
  const { name: channel, title } = layerOf(result.coverage!.layers, settings.layer)
  const curves = KINDS.flatMap((kind): Curve[] => {
    const of = list.filter((p) => p.kind === kind).sort((a, b) => a.delayS - b.delayS)
    const curve = { name: kind, x: of.map((p) => 1e9 * p.delayS), y: of.map((p) => p.gainDb[channel]) }
    return of.length > 0 ? [curve] : []
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

/** What a tab shows with these settings; `other`: a second result, to compare with. */
export function viewOf(result: PlotData, other: PlotData | null, tab: TabName, settings: Settings): View {
  const set = setOf(tab)
  if (set !== null) return coverageView(result, other, set, settings)
  if (overTime(tab)) return motionView(result.name, result.motion!, tab, settings)
  if (tab === 'image') return imageView(result, other, settings)
  if (tab === 'delays') return delaysView(result, settings)
  if (tab === 'profile') return profileView(result, other, settings)
  if (tab === 'cut') return cutView(result, other, settings)
  return historyMap(result, tab, settings)
}

/** Levels by image, worked out once: they are asked for with every move of a control. */
const grids = new WeakMap<LayerData, Grid>()

export function imageGrid(image: ImageGridData, layer: string): Grid {
  const of = layerOf(image.layers, layer)
  const grid = grids.get(of) ?? { levels: levelsOf(of.data), x: image.crossRangeM, y: image.rangeM }
  grids.set(of, grid)
  return grid
}

function imageView(result: PlotData, other: PlotData | null, settings: Settings): View {
  const { name, place, image } = result
  const { ground, unit = 'dBsm', thetaDeg, phiDeg } = image!
  const isKnown = !ground && Number.isFinite(thetaDeg)
  const aspect = isKnown ? `θ = ${shown(thetaDeg, 2)}°, φ = ${shown(phiDeg, 2)}°  ·  ` : ''
  const grid = imageGrid(image!, settings.layer)
  const { title } = layerOf(image!.layers, settings.layer)
  const { low, high } = scale(grid.levels, settings)
  const spec: MapSpec = {
    ...grid,
    title: `${targetOf(result)}, ${title}`,
    subtitle: `${aspect}resolution ${shown(image!.rangeResolutionM, 3)} m × ${shown(image!.crossRangeResolutionM, 3)} m`,
    xTitle: ground ? 'x [m]' : 'Cross-range [m]',
    yTitle: ground ? 'y [m]' : 'Range, away from the radar [m]',
    low,
    high,
    unit,
    colours: settings.colours,
    square: true,
    smooth: true,
    span: true,
    overlay: (axes) => [
      ...(image!.outline && settings.outline !== false ? outlineOf(image!.outline, axes) : []),
      ...(image!.labels ? labelOverlay(image!, settings.labels, low)(axes) : []),
    ],
  }
  if (settings.compare === 'difference' && other?.image) {
    spec.levels = difference(grid, imageGrid(other.image, settings.layer), low)
    const reach = Math.max(
      1,
      Math.min(
        settings.depth,
        spec.levels.reduce((m, v) => Math.max(m, Math.abs(v)), 0),
      ),
    )
    Object.assign(spec, { low: -reach, high: reach, unit: 'dB', colours: 'difference' })
    spec.title = `${name} (${place}) − ${other.name} (${other.place}), ${title}`
    spec.subtitle = `levels below ${shown(low, 1)} ${unit} count as that`
  }
  return mapView(spec, settings, {
    x: ground ? 'x' : 'cross-range',
    xUnit: 'm',
    y: ground ? 'y' : 'range',
    yUnit: 'm',
  })
}

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
      overlay: (axes) => (coverage.transmitterM ? namedPoint(coverage.transmitterM, 'Tx', axes) : []),
      ...(from
        ? { low: -settings.depth / 2, high: settings.depth / 2, colours: 'difference' }
        : { levels: solidsMarked(coverage, set, gains), nothing: 'no path', solid: 'building' }),
    }
    return mapView(spec, settings, { x: 'x', xUnit: 'm', y: 'y', yUnit: 'm' }, drawn)
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
  return first + closest(xOf(coverage, set, log).x, x)
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
