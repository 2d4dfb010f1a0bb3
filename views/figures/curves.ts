import { InputError } from '../../scene/index.js'
import {
  bistaticNote,
  cutsDrawn,
  ghz,
  type HistoryData,
  type LayerData,
  layerOf,
  phisOf,
  type PlotData,
  sameValue,
  type Settings,
  sliderOf,
  spread,
  type TabName,
  targetOf,
  titled,
  type View,
  whoseAngles,
} from './data.js'
import {
  ascending,
  barLevels,
  barSummary,
  barText,
  highest,
  levelsOf,
  lowOf,
  shown,
} from '../../isar/levels.js'
import { type Curve, lineFigure, type LineSpec, polarFigure } from './line-figure.js'
import { rangeProfile, type RangeProfile, type WindowName } from '../../isar/index.js'
import { type MapSpec, mapView } from './map-figure.js'

/** Channels that a figure of curves shows. */
export const drawnLayers = ({ layer, layers }: Settings): readonly string[] => layers ?? [layer]

/** A curve of one result and channel, with what tells it from others of them. */
export type Part = Pick<Curve, 'x' | 'y' | 'bars'> & { of: string[] }

/** Curves of RCS of one result, or of two, in the channels that are drawn. */
export function lineView(
  result: PlotData,
  other: PlotData | null,
  settings: Settings,
  curvesOf: (r: PlotData, layer: string) => Part[],
  look: Pick<LineSpec, 'subtitle' | 'xTitle' | 'angular' | 'zero'> & { axes: View['axes']; polar?: boolean },
): View {
  const results = other ? [result, other] : [result]
  const layers = drawnLayers(settings)
  const titleOf = (layer: string): string => layerOf(result.history!.layers, layer).title
  const drawn = results.flatMap((r) =>
    channelsDrawn(
      layers.flatMap((layer) =>
        curvesOf(r, layer).map(({ of, ...curve }): NamedCurve => {
          const family = [...(other ? [r.place] : []), ...of].join(', ')
          return { ...curve, name: '', family, channels: [titleOf(layer)] }
        }),
      ),
    ),
  )
  return linesOf(
    drawn,
    settings,
    {
      title: [
        other ? result.name : targetOf(result),
        ...(layers.length === 1 ? [titleOf(layers[0])] : []),
      ].join(', '),
      yTitle: 'RCS [dBsm]',
      // The own name of a lone curve.
      lone: layers.length === 1 ? titleOf(layers[0]) : '',
      ...look,
    },
    'dBsm',
    look,
  )
}

/** A curve by its channels and by what else tells it from others. */
export interface NamedCurve extends Curve {
  family: string
  channels: string[]
}

/** Of one result. Monostatic cross-polar curves are the same to the last bit: one of them would hide the other. */
function channelsDrawn(curves: NamedCurve[]): NamedCurve[] {
  const kept: NamedCurve[] = []
  for (const curve of curves) {
    const same = kept.find((k) => k.family === curve.family && sameCurve(k, curve))
    if (same) same.channels.push(...curve.channels)
    else kept.push(curve)
  }
  return kept
}

const sameCurve = (a: Curve, b: Curve): boolean =>
  a.y.length === b.y.length && Array.prototype.every.call(a.y, (y: number, i) => y === b.y[i])

/** A view of curves: of several channels and other families the colour tells the family and the dash the channel, of one of both, both. */
export function linesOf(
  named: NamedCurve[],
  settings: Settings,
  {
    lone,
    ...look
  }: Pick<LineSpec, 'title' | 'subtitle' | 'xTitle' | 'yTitle' | 'angular' | 'zero' | 'log' | 'stems'> & {
    lone: string
  },
  unit: string,
  { axes, polar }: Pick<View, 'axes'> & { polar?: boolean },
): View {
  const families = [...new Set(named.map((c) => c.family))]
  const channels = [...new Set(named.map((c) => c.channels.join(' = ')))]
  const two = families.length > 1 && channels.length > 1
  const { names, xlim, ylim, top } = settings
  if (names && names.length !== named.length)
    throw new InputError(
      `--names: ${names.length} names for ${named.length} curves${named.length > 1 ? ` (${named.map((c) => ownName(c, channels.length > 1, lone)).join('; ')})` : ''}; give one for each, separated by commas`,
    )
  const curves = named.map(({ family, channels: of, ...curve }, i): Curve => ({
    ...curve,
    name: names?.[i] ?? ownName({ family, channels: of }, channels.length > 1, lone),
    colour: two ? families.indexOf(family) : i,
    dash: two ? channels.indexOf(of.join(' = ')) : i,
  }))
  const high = ylim?.[1] ?? top ?? 5 * Math.ceil(Math.max(...curves.map((c) => highest(c.y))) / 5)
  const low = ylim?.[0] ?? lowOf(curves, high, settings)
  const below = curves.filter(({ y }) => highest(y) < low)
  const drawn = curves.filter((c) => below.length === curves.length || !below.includes(c))
  const spec: LineSpec = {
    ...look,
    title: settings.title ?? look.title,
    subtitle:
      settings.title === ''
        ? ''
        : [
            look.subtitle,
            ...(below.length > 0 ? [`below the picture: ${below.map((c) => c.name).join('; ')}`] : []),
          ].join('  ·  '),
    curves: drawn,
    high,
    low,
    ...(xlim && { x: xlim }),
  }
  return {
    curves,
    axes,
    unit,
    draw: (width, height, palette) =>
      (polar ? polarFigure : lineFigure)(titled(spec, settings), width, height, palette),
  }
}

const ownName = (
  { family, channels }: Pick<NamedCurve, 'family' | 'channels'>,
  several: boolean,
  lone: string,
): string =>
  [...(several || channels.length > 1 ? [channels.join(' = ')] : []), family].filter(Boolean).join(', ') ||
  lone

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

/** Ends of a scale of levels. */
export function scale(levels: ArrayLike<number>, { top, depth }: Settings): { low: number; high: number } {
  const high = top ?? highest(levels)
  return { low: high - depth, high }
}

export function profileView(result: PlotData, other: PlotData | null, settings: Settings): View {
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

export function cutView(result: PlotData, other: PlotData | null, settings: Settings): View {
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
export function historyMap(result: PlotData, tab: TabName, settings: Settings): View {
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
  }
  return mapView(spec, settings, { x: angle, xUnit: '°', y, yUnit })
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
