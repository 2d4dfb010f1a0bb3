import type { Figure, Palette } from './axes.js'
import type { Colours, Painter } from './colours.js'
import type { LabelChoice } from './labels.js'
import type { Grid } from './levels.js'
import type { Curve } from './line-figure.js'
import type { MapWindow } from './map-figure.js'

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
