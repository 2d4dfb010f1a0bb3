import { InputError } from '../../scene/index.js'
import { type Figure, type Painter, PAPER } from './axes.js'
import { firstWindow, isMap, viewOf } from './views.js'
import {
  closest,
  cutsDrawn,
  depthOf,
  ghz,
  type HistoryData,
  layersOf,
  phisOf,
  type PlotData,
  sameValue,
  setOf,
  type Settings,
  sliderOf,
  spread,
  type TabName,
  tabsOf,
} from './data.js'
import { wholeOf } from './map-figure.js'

/** What `isar plot` draws, and the page's tab that shows the same. */
const KINDS = {
  image: 'image',
  profile: 'profile',
  waterfall: 'sinogram',
  'frequency-aspect': 'history',
  'aspect-map': 'aspects',
  cut: 'cut',
  polar: 'cut',
  coverage: 'set-0',
  spectrogram: 'spectrogram',
  'range-doppler': 'range-doppler',
} as const satisfies Record<string, TabName>

export type PlotKind = keyof typeof KINDS
export const PLOT_KINDS = Object.keys(KINDS) as PlotKind[]

/** What of the settings of a figure is asked for; the others have defaults: `depthOf`, a scale up to the highest level, inferno. */
type Asked = Pick<Settings, 'layer' | 'layers' | 'title' | 'names' | 'xlim' | 'ylim' | 'log'> &
  Partial<Pick<Settings, 'depth' | 'top' | 'colours'>>

export interface PlotRequest extends Asked {
  kind: PlotKind
  /** Where a cut is taken, one of the data's own values; the middle one where absent. */
  freqHz?: number
  /** Several frequencies: curves of them in one figure. */
  freqsHz?: readonly number[]
  /** Time of a range-Doppler map, the nearest there is; the middle one where absent [s]. */
  timeS?: number
  phiDeg?: number
  thetaDeg?: number
  width: number
  height: number
  /** Which set of receivers `coverage` shows; default the first. */
  set?: number
}

/** Whether a figure shows curves, in which channels and frequencies may be drawn together. */
export const isCurves = (result: PlotData, { kind, set = 0 }: Pick<PlotRequest, 'kind' | 'set'>): boolean =>
  kind === 'cut' ||
  kind === 'polar' ||
  kind === 'profile' ||
  (kind === 'coverage' && result.coverage !== undefined && !isMap(result.coverage, set))

/** Kinds of figures that a result has data for. */
export function plotKinds(result: PlotData): PlotKind[] {
  const tabs = new Set<TabName>(tabsOf(result).map(([name]) => name))
  const { history } = result
  const turns = history !== undefined && history.phiDeg.length > 1
  return PLOT_KINDS.filter((kind) => tabs.has(KINDS[kind]) && (kind !== 'polar' || turns))
}

/**
 * A figure of a result as an SVG document, on white. @param other  drawn with it (curves) or taken from it (image)
 * @throws InputError for a kind or channel that the result has no data for
 */
export function drawKind(
  result: PlotData,
  other: PlotData | null,
  request: PlotRequest,
  paint: Painter,
): Figure {
  const { kind, layer, width, height } = request
  const can = plotKinds(result)
  if (!can.includes(kind))
    throw new InputError(`--kind ${kind}: ${result.place} has no data for it; it has for ${can.join(', ')}`)
  const tab = tabOf(request)
  const has = layersOf(result, tab).map((l) => l.name)
  const { layers = [layer], freqsHz = [] } = request
  const missing = layers.find((l) => !has.includes(l))
  if (missing !== undefined) throw new InputError(`--pol ${missing}: ${result.place} has ${has.join(', ')}`)
  if (tab === 'cut' && request.thetaDeg !== undefined && result.history)
    indexOf(result.history.thetaDeg, request.thetaDeg, '--theta')
  const slider = sliceOf(result, tab, request)
  const sliders = freqsHz.map((hz) => sliceOf(result, tab, { ...request, freqHz: hz }))
  for (const at of other ? [slider, ...sliders] : [])
    for (const one of layers) checkOther(result, other!, tab, at, { ...request, layer: one })
  const settings: Settings = {
    layer,
    layers,
    ...(sliders.length > 1 && { sliders }),
    title: request.title,
    names: request.names,
    log: request.log,
    depth: request.depth ?? depthOf(result),
    top: request.top ?? null,
    colours: request.colours ?? 'inferno',
    compare: other ? 'difference' : 'own',
    polar: kind === 'polar',
    slider,
    cutThetaDeg: request.thetaDeg,
  }
  const { xlim, ylim, names, log } = request
  const curves = isCurves(result, request)
  if (!curves && names) throw new InputError(`--names: ${kind} is a map and has no curves to name`)
  if (log && !(curves && kind === 'coverage'))
    throw new InputError(`--log: ${kind} is not drawn over distance; it is for curves of isar propagate`)
  if (kind === 'polar' && xlim)
    throw new InputError('--xlim: angles of a polar figure run round; --ylim sets its levels')
  if (log && xlim && xlim[0] <= 0)
    throw new InputError(`--xlim ${xlim.join(':')}: a logarithmic axis begins above zero`)
  const limits: Pick<Settings, 'xlim' | 'ylim' | 'window'> = { xlim, ylim }
  if (kind === 'spectrogram' && !xlim) {
    const { x } = firstWindow(result.motion!, slider) ?? {}
    if (x) limits.window = { x, y: ylim ?? wholeOf(viewOf(result, other, tab, settings).grid!).y }
  } else if (!curves && (xlim ?? ylim)) {
    const whole = wholeOf(viewOf(result, other, tab, settings).grid!)
    limits.window = { x: xlim ?? whole.x, y: ylim ?? whole.y }
  }
  return viewOf(result, other, tab, { ...settings, ...limits }).draw(width, height, PAPER, paint)
}

/** @throws InputError for a second result without the channel or the slice that is drawn of the first */
function checkOther(
  result: PlotData,
  other: PlotData,
  tab: TabName,
  slider: number,
  { layer, thetaDeg }: PlotRequest,
): void {
  const layers = layersOf(other, tab).map((l) => l.name)
  if (layers.length > 0 && !layers.includes(layer))
    throw new InputError(`--pol ${layer}: ${other.place} has ${layers.join(', ')}`)
  if (setOf(tab) !== null && other.coverage)
    indexOf(other.coverage.freqHz, result.coverage!.freqHz[slider], '--freq', other.place)
  const [mine, theirs] = [result.history, other.history]
  if (!mine || !theirs) return
  if (tab === 'cut' && mine.phiDeg.length > 1) {
    indexOf(theirs.freqHz, mine.freqHz[slider], '--freq', other.place)
    if (thetaDeg !== undefined) indexOf(theirs.thetaDeg, thetaDeg, '--theta', other.place)
  }
  if (tab === 'profile') closestAspect(theirs, mine.phiDeg[slider], mine.thetaDeg[slider], other.place)
}

const tabOf = ({ kind, set = 0 }: Pick<PlotRequest, 'kind' | 'set'>): TabName =>
  kind === 'coverage' ? `set-${set}` : KINDS[kind]

/** What a figure shows where there is more than it shows: the slice it is taken at, and which of many cuts; null where it shows all. */
export function chosenOf(result: PlotData, request: PlotRequest): string | null {
  const tab = tabOf(request)
  const slider = sliderOf(result, tab)
  const said: string[] = []
  if (slider && slider.count > 1) {
    const [many, options] =
      slider.name === 'Frequency'
        ? ['frequencies', '--freq takes others']
        : slider.name === 'Time'
          ? ['times', '--time takes another']
          : ['aspects', '--theta and --phi take another']
    const { freqsHz = [] } = request
    const first = tab === 'spectrogram' && !request.xlim && firstWindow(result.motion!, sliceOf(result, tab, request)) // prettier-ignore
    if (first)
      said.push(`a few turns, ${first.x.map((t) => Number(t.toPrecision(3))).join(' to ')} s (--time, --xlim take others)`) // prettier-ignore
    else if (freqsHz.length < 2 && tab !== 'spectrogram')
      said.push(`${slider.label(sliceOf(result, tab, request))}, one of ${slider.count} ${many} (${options})`)
  }
  const { history } = result
  if (tab === 'cut' && history && spread(history.thetaDeg) && spread(history.phiDeg)) {
    const drawn = cutsDrawn(history, request.thetaDeg)
    const phis = phisOf(history.thetaDeg)
    const all = Math.ceil(history.thetaDeg.length / phis)
    if (drawn.length < all && phis > 1)
      said.push(
        `θ = ${drawn.map((i) => `${Number(history.thetaDeg[i * phis].toPrecision(6))}°`).join(', ')}, ${drawn.length} of ${all} cuts (--theta takes one)`,
      )
  }
  return said.length > 0 ? said.join('; ') : null
}

/** The slice that a figure is taken at. @throws InputError for one that the data do not have */
function sliceOf(result: PlotData, tab: TabName, request: PlotRequest): number {
  const { freqHz, phiDeg, thetaDeg, timeS } = request
  const slider = sliderOf(result, tab)
  if (!slider) return 0
  if (slider.name === 'Time')
    return timeS === undefined ? slider.count >> 1 : closestTime(result.motion!.timeS, timeS)
  const { freqHz: axis } = (result.history ?? result.coverage)!
  const middle = Math.floor(slider.count / 2)
  if (slider.name === 'Frequency') return freqHz === undefined ? middle : indexOf(axis, freqHz, '--freq')
  if (phiDeg === undefined && thetaDeg === undefined) return middle
  return closestAspect(result.history!, phiDeg, thetaDeg)
}

/** Index of the nearest time. @throws InputError for one outside the data */
function closestTime(timeS: Float64Array, wanted: number): number {
  const [first, last] = [timeS[0], timeS[timeS.length - 1]]
  if (!(wanted >= first && wanted <= last))
    throw new InputError(`--time ${wanted}: the data are of ${Number(first.toPrecision(4))} to ${Number(last.toPrecision(4))} s`) // prettier-ignore
  return closest(timeS, wanted)
}

/** Index of a value that the data have. @throws InputError with the nearest for one that they have not */
function indexOf(axis: Float64Array, value: number, what: string, whose = 'the data'): number {
  const best = closest(axis, value)
  if (sameValue(value, axis[best])) return best
  const [say, unit] = what === '--freq' ? [ghz, ''] : [(x: number) => String(Number(x.toPrecision(6))), '°']
  throw new InputError(
    `${what} ${say(value)}${unit}: the nearest in ${whose} is ${say(axis[best])}${unit}, of ${axis.length === 1 ? 'one' : `${say(axis.reduce((a, b) => Math.min(a, b)))}${unit} to ${say(axis.reduce((a, b) => Math.max(a, b)))}${unit}`}; give that`,
  )
}

function closestAspect(history: HistoryData, phiDeg?: number, thetaDeg?: number, whose = 'the data'): number {
  if (phiDeg !== undefined) indexOf(history.phiDeg, phiDeg, '--phi', whose)
  if (thetaDeg !== undefined) indexOf(history.thetaDeg, thetaDeg, '--theta', whose)
  const off = (i: number): number =>
    Math.abs(history.phiDeg[i] - (phiDeg ?? history.phiDeg[i])) +
    Math.abs(history.thetaDeg[i] - (thetaDeg ?? history.thetaDeg[i]))
  const best = closest(Array.from(history.phiDeg.keys(), off), 0)
  const [phi, theta] = [history.phiDeg[best], history.thetaDeg[best]]
  if (!sameValue(phiDeg ?? phi, phi) || !sameValue(thetaDeg ?? theta, theta))
    throw new InputError(
      `--theta ${thetaDeg}° --phi ${phiDeg}°: ${whose} has not both together; the nearest is θ = ${Number(theta.toPrecision(6))}°, φ = ${Number(phi.toPrecision(6))}°; give that`,
    )
  return best
}
