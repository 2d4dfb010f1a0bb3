import type { Outline } from '../../isar/index.js'
import type { Vec3 } from '../../scene/index.js'
import { type Grid, shown } from '../../isar/levels.js'
import type { Colours, Figure, Painter, Palette } from './axes.js'
import type { Curve } from './line-figure.js'

/** One of several matrices over the same axes: a channel, or a mechanism's part of it. */
export interface LayerData {
  /** As in the file, e.g. `vv` or `vv_b1`. */
  name: string
  title: string
  /** Complex, interleaved re, im. */
  data: Float64Array
}

/** ISAR images of one run. */
export interface ImageGridData {
  /** Centre aspect; NaN where nothing tells it. */
  thetaDeg: number
  phiDeg: number
  /** Its plane where cross-range is not along phi-hat: unit vectors to the radar, along cross-range and across both. */
  plane?: { towardsRadar: Vec3; crossRange: Vec3; normal: Vec3 }
  /** In the ground plane: `crossRangeM` is x and `rangeM` is y. */
  ground?: true
  /** Unit of levels where amplitudes are not calibrated; default dBsm. */
  unit?: string
  /** Uniform, ascending. */
  rangeM: Float64Array
  crossRangeM: Float64Array
  rangeResolutionM: number
  crossRangeResolutionM: number
  window: string
  polarFormat: boolean
  dynamicRangeDb: number
  phaseCentre: [number, number, number]
  /** [range][cross-range]; |pixel|^2 in m^2. */
  layers: LayerData[]
  /** Of the target; not of images of a dataset. */
  outline?: Outline
  /** Labels of an image of a dataset. */
  labels?: ImageLabels
}

export interface ImageLabels {
  /** [range][cross-range]: 0 background, 1 where the target projects to, 2 where its lit surface does. */
  mask?: Uint8Array
  /** [range][cross-range]: part of the aperture that lights the ground, 0 to 255. */
  lit?: Uint8Array
  /** Scattering centres, the strongest first. */
  centres?: CentreData[]
}

export interface CentreData {
  rangeM: number
  crossRangeM: number
  /** [dBsm] */
  level: number
  /** A point of the facet or edge [m], and the number of either; null where none is known. */
  pointM: [number, number, number] | null
  id: number | null
  /** What makes most of it; empty where nobody knows. */
  mechanism: string
}

/** Amplitudes over frequency and aspect. */
export interface HistoryData {
  freqHz: Float64Array
  /** Of every aspect; in a bistatic table of the receiver, seen from one transmitter, or with `turnedDeg` of the transmitter. */
  thetaDeg: Float64Array
  phiDeg: Float64Array
  bistatic: boolean
  /** Direction of the one transmitter of a bistatic table, theta and phi. */
  transmitterDeg?: [number, number]
  /** How far the receiver is turned from each transmitter, in theta and phi. */
  turnedDeg?: [number, number]
  /** Amplitudes F [m], [frequency][aspect]. */
  layers: LayerData[]
  /** Error bars of layers by name, +- [m], [frequency][aspect], where they were estimated. */
  bars?: { name: string; data: Float64Array }[]
}

/** Transfers from one transmitter to receivers. */
export interface CoverageData {
  freqHz: Float64Array
  /** 3 coordinates of every receiver [m]. */
  positionM: Float64Array
  /** Named sets of receivers that follow one another. */
  sets: { name: string; first: number; count: number }[]
  /** Where it is known [m]. */
  transmitterM?: [number, number, number]
  /** Numbers of receivers inside buildings. */
  inside: Uint32Array
  /** Transfers h, [frequency][receiver]; |h|^2 is the path gain. */
  layers: LayerData[]
}

/** Maps of a moving target over slow time. */
export interface MotionData {
  /** Middles of the spectrogram's columns, uniform and ascending [s]. */
  timeS: Float64Array
  /** Uniform and ascending, positive of what approaches [Hz]. */
  dopplerHz: Float64Array
  /** Axes of the range-Doppler maps, and the middles of their intervals [s]; absent of one frequency. */
  maps?: { timeS: Float64Array; rangeM: Float64Array; dopplerHz: Float64Array }
  layers: MotionLayer[]
  /** Time of a turn of the slowest part that turns [s]; absent where none does. */
  turnS?: number
}

export interface MotionLayer {
  /** Channel, as in the file. */
  name: string
  title: string
  /** [Doppler][time], dBsm. */
  spectrogram: Float32Array
  /** [map][range][Doppler], dBsm. */
  maps?: Float32Array
}

/** Paths from the transmitter to one receiver. */
export interface PathsData {
  receiver: number
  positionM: [number, number, number]
  /** Of the file, where only the strongest are listed here. */
  count: number
  /** The strongest in any channel first. */
  list: PathData[]
}

export interface PathData {
  kind: 'direct' | 'reflected' | 'diffracted'
  lengthM: number
  delayS: number
  /** Points of reflection or diffraction [m], from the transmitter on. */
  pointsM: [number, number, number][]
  /** Path gain |h|^2 by channel at the first frequency [dB]. */
  gainDb: Record<string, number>
}

/** What is drawn of a result. */
export interface PlotData {
  name: string
  /** Materials of the target but for conductors. */
  materials?: string[]
  /** Folder or file, without the path to it. */
  place: string
  image?: ImageGridData
  history?: HistoryData
  /** Of a table of several transmitters all of them; `history` is one. */
  histories?: HistoryData[]
  coverage?: CoverageData
  motion?: MotionData
  /** Of the receiver that was chosen. */
  paths?: PathsData
}

/** The target, and what of it is no conductor. */
export const targetOf = ({ name, materials = [] }: Pick<PlotData, 'name' | 'materials'>): string =>
  [name, ...(materials.length > 0 ? [`with ${materials.join(', ')}`] : [])].join(' ')

/** `set-0`, `set-1`, ...: sets of receivers. */
export type TabName =
  | 'spectrogram'
  | 'range-doppler'
  | 'image'
  | 'profile'
  | 'sinogram'
  | 'history'
  | 'cut'
  | 'aspects'
  | 'delays'
  | `set-${number}`

/** Something to move through with a slider. */
interface Slider {
  name: string
  count: number
  label(i: number): string
}

export const spread = (axis: Float64Array): boolean => axis.some((v) => v !== axis[0])

/** Tabs that a result has data for, with their titles. */
export function tabsOf({ image, history, coverage, motion, paths }: PlotData): [TabName, string][] {
  const tabs: [TabName, string][] = motion ? [['spectrogram', 'Spectrogram']] : []
  if (motion?.maps) tabs.push(['range-doppler', 'Range–Doppler'])
  if (image) tabs.push(['image', 'Image'])
  coverage?.sets.forEach(({ name }, i) => tabs.push([`set-${i}`, name]))
  if (paths) tabs.push(['delays', 'Delays'])
  if (!history) return tabs
  const even = isUniform(history.freqHz)
  const [theta, phi] = [spread(history.thetaDeg), spread(history.phiDeg)]
  const turned = theta !== phi && isUniform(theta ? history.thetaDeg : history.phiDeg)
  const wideband = even && history.freqHz.length > 2 && !history.bistatic
  if (wideband && history.freqHz[1] > history.freqHz[0]) tabs.push(['profile', 'Range profile'])
  if (tabs.at(-1)?.[0] === 'profile' && turned) tabs.push(['sinogram', 'Sinogram'])
  if (even && turned) tabs.push(['history', 'Frequency–aspect'])
  if (theta && phi && isRectangular(history)) tabs.push(['aspects', 'Aspect map'])
  tabs.push(['cut', 'RCS'])
  return tabs
}

/** Whether an axis of two samples or more is evenly spaced, up or down. */
function isUniform(axis: Float64Array): boolean {
  const step = (axis[axis.length - 1] - axis[0]) / (axis.length - 1)
  return Math.abs(step) > 0 && axis.every((v, i) => Math.abs(v - axis[0] - i * step) < 1e-6 * Math.abs(step))
}

/** Whether the aspects are every theta with every phi, phi fastest, both evenly spaced: a map of theta and phi. */
function isRectangular({ thetaDeg, phiDeg }: HistoryData): boolean {
  const n = phisOf(thetaDeg)
  if (thetaDeg.length % n !== 0) return false
  const thetas = thetaDeg.filter((_, i) => i % n === 0)
  if (!isUniform(thetas) || !isUniform(phiDeg.subarray(0, n))) return false
  return thetaDeg.every((t, i) => t === thetas[Math.floor(i / n)] && phiDeg[i] === phiDeg[i % n])
}

/** Aspects until theta changes. */
export function phisOf(thetaDeg: Float64Array): number {
  const next = thetaDeg.findIndex((t) => t !== thetaDeg[0])
  return next < 0 ? thetaDeg.length : next
}

/** Before the name of an axis of directions: whose they are, in a bistatic table. */
export const whoseAngles = ({ bistatic, turnedDeg }: HistoryData): string =>
  bistatic ? (turnedDeg ? 'transmitter ' : 'receiver ') : ''

/** Where the other end is, in a bistatic table. */
export function bistaticNote({ transmitterDeg, turnedDeg }: HistoryData): string[] {
  if (transmitterDeg) return [`transmitter at ${transmitterName(transmitterDeg)}`]
  if (!turnedDeg) return []
  const moved = turnedDeg.flatMap((by, i) => (by === 0 ? [] : [`${'θφ'[i]} ${by > 0 ? '+' : '−'} ${Number(Math.abs(by).toPrecision(6))}°`])) // prettier-ignore
  return [`receiver at ${moved.join(', ') || 'the transmitter'}`]
}

/** Direction of a transmitter. */
export const transmitterName = ([theta, phi]: [number, number]): string =>
  `θ = ${Number(theta.toPrecision(6))}°, φ = ${Number(phi.toPrecision(6))}°`.replaceAll('-', '−')

/** Most cuts over phi of one result in a figure. */
const MOST_CUTS = 6

/** Numbers of the cuts over phi, one for each theta, that are drawn: the nearest to a theta, or the first few. */
export function cutsDrawn({ thetaDeg }: HistoryData, wanted?: number): number[] {
  const phis = phisOf(thetaDeg)
  const count = Math.ceil(thetaDeg.length / phis)
  if (wanted === undefined) return Array.from({ length: Math.min(MOST_CUTS, count) }, (_, i) => i)
  const thetas = Array.from({ length: count }, (_, i) => thetaDeg[i * phis])
  return [closest(thetas, wanted)]
}

/** Index of the value nearest to x, the first of several; values in any order. */
export function closest(values: ArrayLike<number>, x: number): number {
  let best = 0
  for (let i = 1; i < values.length; i++) if (Math.abs(values[i] - x) < Math.abs(values[best] - x)) best = i
  return best
}

/** Whether two frequencies or angles are one: they agree to the digits that figures print. */
export const sameValue = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-9 + 1e-5 * Math.abs(b)

/** Number of the set of receivers that a tab shows, or null. */
export function setOf(tab: TabName): number | null {
  const match = /^set-(\d+)$/.exec(tab)
  return match ? Number(match[1]) : null
}

/** Levels shown below the top where nobody says otherwise [dB]: of radio waves along a street more than of an image. */
export const depthOf = ({ image, coverage }: PlotData): number =>
  coverage ? 100 : (image?.dynamicRangeDb ?? 50)

export function layersOf(result: PlotData, tab: TabName): Pick<LayerData, 'name' | 'title'>[] {
  if (overTime(tab)) return result.motion?.layers ?? []
  const of =
    setOf(tab) !== null || tab === 'delays'
      ? result.coverage
      : tab === 'image'
        ? result.image
        : result.history
  return of?.layers ?? []
}

export const layerOf = <T extends { name: string }>(layers: T[], name: string): T =>
  layers.find((l) => l.name === name) ?? layers[0]

export const ghz = (f: number): string => `${Number((f / 1e9).toPrecision(6))} GHz`

/** Whether a tab is of a moving target, and its slider moves through time. */
export const overTime = (tab: TabName): boolean => tab === 'spectrogram' || tab === 'range-doppler'

/** What a tab's slider moves through; null where it has none. */
export function sliderOf(result: PlotData, tab: TabName): Slider | null {
  const { history, coverage, motion } = result
  if (motion && overTime(tab))
    return { name: 'Time', count: motion.timeS.length, label: (i) => `${shown(motion.timeS[i], 4)} s` }
  if (coverage && setOf(tab) !== null)
    return { name: 'Frequency', count: coverage.freqHz.length, label: (i) => ghz(coverage.freqHz[i]) }
  if (!history || tab === 'delays') return null
  const aspects: Slider = {
    name: 'Aspect',
    count: history.phiDeg.length,
    label: (i) =>
      spread(history.thetaDeg)
        ? `θ = ${shown(history.thetaDeg[i], 2)}°, φ = ${shown(history.phiDeg[i], 2)}°`
        : `φ = ${shown(history.phiDeg[i], 2)}°`,
  }
  const frequencies: Slider = {
    name: 'Frequency',
    count: history.freqHz.length,
    label: (i) => ghz(history.freqHz[i]),
  }
  if (tab === 'profile') return aspects
  if (tab === 'aspects') return frequencies
  if (tab === 'cut') return history.phiDeg.length > 1 ? frequencies : aspects
  return null
}

/** Tab and slider of another result that show the same: receivers of that name, at that frequency or the nearest that it has. */
export function besideOf(
  result: PlotData,
  other: PlotData,
  tab: TabName,
  slider: number,
): { tab: TabName; slider: number } {
  const set = setOf(tab)
  const axisOf = ({ coverage, history }: PlotData): Float64Array | undefined =>
    (set === null ? history : coverage)?.freqHz
  const [own, others] = [axisOf(result), axisOf(other)]
  return {
    tab: set === null ? tab : `set-${setBeside(result, other, set)}`,
    slider: own && others ? closest(others, own[slider]) : slider,
  }
}

/** Number of the other result's set of receivers of the same name; the same number where none has it. */
export function setBeside(result: PlotData, other: PlotData, set: number): number {
  const found = other.coverage?.sets.findIndex(({ name }) => name === result.coverage?.sets[set].name) ?? -1
  return found < 0 ? set : found
}

/** Which labels of an image are drawn. */
export interface LabelChoice {
  /** Of the target, and of its shadow. */
  mask: boolean
  centres: boolean
}

/** Part of a map: ends of both axes. */
export interface MapWindow {
  x: [number, number]
  y: [number, number]
}

/** What the controls say. */
export interface Settings {
  layer: string
  /** Curves of several channels, drawn together; `layer` alone where absent. */
  layers?: readonly string[]
  /** Levels shown below the top [dB]. */
  depth: number
  /** Curves end below where their data do, if that is higher. */
  fit?: boolean
  /** Top of the scale [dBsm]; null: that of the data. */
  top: number | null
  colours: Colours
  /** `beside` draws each result in a figure of its own: as `own` here. */
  compare: 'own' | 'difference' | 'beside'
  polar: boolean
  /** Aspect or frequency that a cut is taken at. */
  slider: number
  /** Several frequencies of a cut, drawn together; `slider` alone where absent. */
  sliders?: readonly number[]
  /** Curves over distance: from the transmitter, on a logarithmic axis. */
  log?: boolean
  /** Ends of the axes of curves; those of the data where absent. */
  xlim?: [number, number]
  ylim?: [number, number]
  /** Instead of the figure's own title; empty: no title and no line below it. */
  title?: string
  /** Instead of the curves' own names, in their order. */
  names?: readonly string[]
  /** Theta of the one cut over phi that is drawn, the nearest there is; where absent the first few. */
  cutThetaDeg?: number
  /** Part of a map on show; the whole where absent. */
  window?: MapWindow
  /** Whether the outline of an image that has one is drawn; so where absent. */
  outline?: boolean
  /** Labels drawn over an image that has them. */
  labels?: LabelChoice
}

/** What a tab shows: grid or curves, the same for reading values off, and how it is drawn. */
export interface View {
  /** Of a map: its levels, to read off at the cursor. */
  grid?: Grid
  curves?: Curve[]
  /** The curves' samples are things of their own: the cursor reads off the nearest one alone. */
  single?: boolean
  /** A line across a map at this x, which stays while the cursor moves. */
  line?: number
  /** Steps of the cursor select too, from the line on. */
  steps?: boolean
  /** Names and units of the axes, for the cursor's line. */
  axes: { x: string; xUnit: string; y: string; yUnit: string }
  unit: string
  draw(width: number, height: number, palette: Palette, paint: Painter): Figure
}

/** A figure with the title that was asked for, if any. */
export const titled = <T extends { title: string; subtitle: string }>(spec: T, { title }: Settings): T =>
  title === undefined ? spec : { ...spec, title, ...(title === '' && { subtitle: '' }) }
