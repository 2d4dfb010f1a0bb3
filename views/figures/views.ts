import { rangeProfile, type RangeProfile, type WindowName } from '../../isar/index.js'
import {
  ascending,
  barLevels,
  barSummary,
  barText,
  difference,
  type Grid,
  highest,
  levelsOf,
  NOTHING,
  shown,
} from '../../isar/levels.js'
import { coverageView } from './coverage.js'
import { drawnLayers, lineView, type Part } from './curves.js'
import {
  type HistoryData,
  type ImageGridData,
  type LayerData,
  type MotionData,
  type PlotData,
  targetOf,
} from './data.js'
import { labelOverlay } from './labels.js'
import { type Curve, lineFigure, type LineSpec } from './line-figure.js'
import { mapFigure, type MapSpec, type MapWindow, outlineOf, wholeOf } from './map-figure.js'
import {
  bistaticNote,
  cutsDrawn,
  ghz,
  layerOf,
  overTime,
  phisOf,
  sameValue,
  setOf,
  type Settings,
  sliderOf,
  spread,
  type TabName,
  titled,
  type View,
  whoseAngles,
} from './tabs.js'

/** Spectrogram of a moving target with a line at the slider's time, or the range-Doppler map of the interval nearest to it. */
function motionView(name: string, motion: MotionData, tab: TabName, settings: Settings): View {
  const layer = layerOf(motion.layers, settings.layer)
  const time = motion.timeS[settings.slider]
  const common = { title: `${name}, ${layer.title}`, unit: 'dBsm', colours: settings.colours, smooth: true, window: settings.window } // prettier-ignore
  const view = (spec: Omit<MapSpec, 'low' | 'high'>, all: Float32Array, more: Partial<View>): View => {
    const top = settings.top ?? highest(all)
    // Nothing at all is dark.
    const high = top > NOTHING ? top : 0
    const whole: MapSpec = { ...spec, high, low: high - settings.depth }
    return {
      grid: whole,
      axes: { x: 'Doppler', xUnit: 'Hz', y: 'range', yUnit: 'm' },
      unit: 'dBsm',
      draw: (width, height, palette, paint) =>
        mapFigure(titled(whole, settings), width, height, palette, paint),
      ...more,
    }
  }
  if (tab === 'spectrogram')
    return view(
      {
        ...common,
        levels: layer.spectrogram,
        x: motion.timeS,
        y: motion.dopplerHz,
        subtitle: 'spectrogram',
        xTitle: 'Time [s]',
        yTitle: 'Doppler [Hz], positive: approaching',
      },
      layer.spectrogram,
      { axes: { x: 'time', xUnit: 's', y: 'Doppler', yUnit: 'Hz' }, line: time, steps: true },
    )
  const maps = motion.maps!
  const i = mapAt(motion, settings.slider)
  const size = maps.rangeM.length * maps.dopplerHz.length
  // One scale for all, as in a film.
  return view(
    {
      ...common,
      levels: layer.maps!.subarray(i * size, (i + 1) * size),
      x: maps.dopplerHz,
      y: maps.rangeM,
      subtitle: `map ${i + 1} of ${maps.timeS.length}, about ${shown(maps.timeS[i], 4)} s`,
      xTitle: 'Doppler [Hz], positive: approaching',
      yTitle: 'Range, away from the radar [m]',
    },
    layer.maps!,
    {},
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
export function mapAt({ timeS, maps }: MotionData, column: number): number {
  const of = maps!.timeS
  let best = 0
  of.forEach((t, i) => {
    if (Math.abs(t - timeS[column]) < Math.abs(of[best] - timeS[column])) best = i
  })
  return best
}

/** Amplitudes of one aspect over frequency. */
function spectrum({ freqHz, phiDeg }: HistoryData, { data }: LayerData, aspect: number): Float64Array {
  const f = new Float64Array(2 * freqHz.length)
  for (let n = 0; n < freqHz.length; n++) {
    const at = 2 * (n * phiDeg.length + aspect)
    f[2 * n] = data[at]
    f[2 * n + 1] = data[at + 1]
  }
  return f
}

/** Samples of a drawn range profile, per resolution cell: zero-padding by as much. */
const SAMPLES = 8

const windowOf = ({ image }: PlotData): WindowName => (image?.window ?? 'hamming') as WindowName

/** A range profile drawn finely: peaks between the samples show. */
const fineProfile = (freqHz: Float64Array, f: Float64Array, window: WindowName): RangeProfile =>
  rangeProfile(freqHz, f, { window, count: SAMPLES * (freqHz.length - 1) })

const KINDS = ['direct', 'reflected', 'diffracted'] as const

/** Power-delay profile of a receiver: each path's gain over its delay, at the first frequency. */
function delaysView(result: PlotData, settings: Settings): View {
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

function scale(levels: ArrayLike<number>, { top, depth }: Settings): { low: number; high: number } {
  const high = top ?? highest(levels)
  return { low: high - depth, high }
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
    window: settings.window,
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
  return {
    grid: { levels: spec.levels, x: grid.x, y: grid.y },
    axes: { x: ground ? 'x' : 'cross-range', xUnit: 'm', y: ground ? 'y' : 'range', yUnit: 'm' },
    unit: spec.unit,
    draw: (width, height, palette, paint) => mapFigure(titled(spec, settings), width, height, palette, paint),
  }
}

function profileView(result: PlotData, other: PlotData | null, settings: Settings): View {
  const curvesOf = (r: PlotData, layer: string): Part[] => {
    const { history } = r
    if (!history || history.freqHz.length < 3) return []
    // A second result is drawn at the first's aspect, where it has it.
    const own = result.history!
    const at = Math.min(settings.slider, own.phiDeg.length - 1)
    const aspect =
      r === result
        ? at
        : history.phiDeg.findIndex((phi, a) => sameValue(phi, own.phiDeg[at]) && sameValue(history.thetaDeg[a], own.thetaDeg[at])) // prettier-ignore
    if (aspect < 0 || (r !== result && !history.layers.some(({ name }) => name === layer))) return []
    const f = spectrum(history, layerOf(history.layers, layer), aspect)
    const { profile, rangeM } = fineProfile(history.freqHz, f, windowOf(r))
    return [{ of: [], x: rangeM, y: levelsOf(profile) }]
  }
  return lineView(result, other, settings, curvesOf, {
    subtitle: `range profile at ${sliderOf(result, 'profile')!.label(settings.slider)}, window ${windowOf(result)}`,
    xTitle: 'Range, away from the radar [m]',
    axes: { x: 'range', xUnit: 'm', y: '', yUnit: '' },
  })
}

function cutView(result: PlotData, other: PlotData | null, settings: Settings): View {
  const { freqHz, thetaDeg, phiDeg } = result.history!
  const overAspect = phiDeg.length > 1
  const overTheta = overAspect && !spread(phiDeg)
  const fixed = overTheta
    ? [`φ = ${shown(phiDeg[0], 2)}°`]
    : spread(thetaDeg)
      ? []
      : [`θ = ${shown(thetaDeg[0], 2)}°`]
  const sliders = (overAspect && settings.sliders) || [settings.slider]
  const layers = drawnLayers(settings)
  const barsDrawn = layers.length * sliders.length === 1
  const curvesOf = (r: PlotData, layer: string): Part[] => {
    const { history } = r
    if (!history || (r !== result && !history.layers.some(({ name }) => name === layer))) return []
    const { data } = layerOf(history.layers, layer)
    const bars = barLevels(data, history.bars?.find(({ name }) => name === layer)?.data)
    if (!overAspect)
      return [{ of: [], x: history.freqHz.map((f) => f / 1e9), y: levelsOf(data, 4 * Math.PI), bars }]
    return sliders.flatMap((slider) => cutsAt(r, history, data, bars, slider))
  }
  const cutsAt = (
    r: PlotData,
    history: HistoryData,
    data: Float64Array,
    bars: Curve['bars'],
    slider: number,
  ): Part[] => {
    const aspects = history.phiDeg.length
    const at = Math.min(slider, freqHz.length - 1)
    const of = sliders.length > 1 ? [ghz(freqHz[at])] : []
    const n = r === result ? at : history.freqHz.findIndex((f) => sameValue(f, freqHz[at]))
    if (n < 0) return []
    const levels = levelsOf(data.subarray(2 * n * aspects, 2 * (n + 1) * aspects), 4 * Math.PI)
    const cut = (ends: Float64Array, from: number, to: number): Float64Array => ends.subarray(n * aspects + from, n * aspects + to) // prettier-ignore
    const part = (from: number, to: number): Curve['bars'] => bars && { low: cut(bars.low as Float64Array, from, to), high: cut(bars.high as Float64Array, from, to) } // prettier-ignore
    const whole = part(0, aspects)
    if (overTheta) return [{ of, x: history.thetaDeg, y: levels, bars: whole }]
    const phis = phisOf(history.thetaDeg)
    // One theta, or the track of a target whose aspects change in both.
    if (!spread(history.thetaDeg) || phis === 1) return [{ of, x: history.phiDeg, y: levels, bars: whole }]
    return cutsDrawn(history, settings.cutThetaDeg).map((i) => ({
      of: [...of, `θ = ${shown(history.thetaDeg[i * phis], 1)}°`],
      x: history.phiDeg.subarray(i * phis, (i + 1) * phis),
      y: levels.subarray(i * phis, (i + 1) * phis),
      bars: part(i * phis, (i + 1) * phis),
    }))
  }
  const whose = whoseAngles(result.history!)
  const axis = !overAspect ? ['Frequency', 'GHz'] : overTheta ? [`${whose}θ`, '°'] : [`${whose}φ`, '°']
  return lineView(result, other, settings, curvesOf, {
    subtitle: [
      ...(overAspect
        ? [...(sliders.length === 1 ? [ghz(freqHz[sliders[0]])] : []), ...fixed]
        : [sliderOf(result, 'cut')!.label(0)]),
      ...bistaticNote(result.history!),
      ...([result, other].some((r) => r?.history?.bars?.some((b) => layers.includes(b.name)))
        ? [`bands: the table’s error bars${barsDrawn ? barNote(result.history!, layers[0]) : ''}`]
        : []),
    ].join('  ·  '),
    xTitle: overAspect ? `${axis[0]} [deg]` : 'Frequency [GHz]',
    axes: { x: axis[0], xUnit: axis[1], y: '', yUnit: '' },
    angular: overAspect,
    zero: overTheta ? '+z' : 'nose',
    polar: overAspect && settings.polar,
  })
}

/** What the bars of a layer amount to. */
function barNote({ layers, bars }: HistoryData, layer: string): string {
  const errors = bars?.find(({ name }) => name === layer)
  return errors ? `, ${barText(barSummary(layerOf(layers, layer).data, errors.data))}` : ''
}

/** Sinogram, frequency-aspect data, or RCS over two angles. */
function historyMap(result: PlotData, tab: TabName, settings: Settings): View {
  const history = result.history!
  const layer = layerOf(history.layers, settings.layer)
  const overTheta = !spread(history.phiDeg)
  const angles = overTheta ? history.thetaDeg : history.phiDeg
  const angle = whoseAngles(history) + (overTheta ? 'θ' : 'φ')
  const { grid, y, yUnit, title, yTitle } =
    tab === 'sinogram'
      ? sinogram(result, history, layer, angles)
      : tab === 'history'
        ? {
            grid: { levels: levelsOf(layer.data, 4 * Math.PI), x: angles, y: history.freqHz.map((f) => f / 1e9) }, // prettier-ignore
            y: 'frequency',
            yUnit: 'GHz',
            title: 'RCS over frequency and aspect',
            yTitle: 'Frequency [GHz]',
          }
        : aspectMap(history, layer, settings.slider)
  const spec: MapSpec = {
    ...ascending(grid),
    title: `${targetOf(result)}, ${layer.title}`,
    subtitle: [title, ...bistaticNote(history)].join('  ·  '),
    xTitle: `${angle} [deg]`,
    yTitle,
    ...scale(grid.levels, settings),
    unit: 'dBsm',
    colours: settings.colours,
    angular: true,
    smooth: tab === 'sinogram',
    window: settings.window,
  }
  return {
    grid: spec,
    axes: { x: angle, xUnit: '°', y, yUnit },
    unit: 'dBsm',
    draw: (width, height, palette, paint) => mapFigure(titled(spec, settings), width, height, palette, paint),
  }
}

function sinogram(result: PlotData, history: HistoryData, layer: LayerData, angles: Float64Array) {
  const window = windowOf(result)
  const columns = Array.from({ length: angles.length }, (_, a) =>
    fineProfile(history.freqHz, spectrum(history, layer, a), window),
  )
  const y = columns[0].rangeM
  const levels = new Float32Array(y.length * angles.length)
  columns.forEach(({ profile }, a) =>
    levelsOf(profile).forEach((v, r) => (levels[r * angles.length + a] = v)),
  )
  return {
    grid: { levels, x: angles, y },
    y: 'range',
    yUnit: 'm',
    title: `range profiles over aspect, window ${window}`,
    yTitle: 'Range, away from the radar [m]',
  }
}

function aspectMap(history: HistoryData, layer: LayerData, frequency: number) {
  const n = phisOf(history.thetaDeg)
  const aspects = history.phiDeg.length
  const y = Float64Array.from({ length: aspects / n }, (_, i) => history.thetaDeg[i * n])
  return {
    grid: {
      levels: levelsOf(
        layer.data.subarray(2 * frequency * aspects, 2 * (frequency + 1) * aspects),
        4 * Math.PI,
      ),
      x: history.phiDeg.slice(0, n),
      y,
    },
    y: 'θ',
    yUnit: '°',
    title: `RCS over aspect at ${ghz(history.freqHz[frequency])}`,
    yTitle: 'θ [deg]',
  }
}
