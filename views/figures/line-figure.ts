import { NOTHING } from '../../isar/levels.js'
import {
  atX,
  atY,
  type Axes,
  type Figure,
  frame,
  heading,
  LEFT,
  leftOf,
  line,
  type Palette,
  px,
  rect,
  SHORTEST,
  svg,
  text,
  tickLabels,
  titleLines,
  titleRoom,
  ticks,
} from './axes.js'

export interface Curve {
  name: string
  x: ArrayLike<number>
  y: ArrayLike<number>
  /** Drawn as dots of this radius [pixels], in any order, instead of a line. */
  dots?: number
  dashed?: boolean
  /** Numbers of its colour and dash, for curves that two things tell apart; both are the curve's own number where absent. */
  colour?: number
  dash?: number
  /** Ends of the values' error bars, drawn as a band behind the curve. */
  bars?: { low: ArrayLike<number>; high: ArrayLike<number> }
}

export interface LineSpec {
  title: string
  /** Parts set apart by ' · ' go to as many lines as they need. */
  subtitle: string
  xTitle: string
  yTitle: string
  curves: Curve[]
  low: number
  high: number
  angular?: boolean
  /** What lies in the direction of angle 0, marked in a polar figure. */
  zero?: string
  /** Ends of the horizontal axis; those of the curves where absent. */
  x?: [number, number]
  /** The horizontal axis is logarithmic; values of zero and below are left out. */
  log?: boolean
  /** A stem for every sample instead of a line through them. */
  stems?: boolean
  /** False: no legend. */
  legend?: boolean
}

const RIGHT = 20
const TOP = 48
const BARE = 14
const BOTTOM = 52
/** Length of a line in the legend: two of the longest dashes. */
const DASH_SAMPLE = 28
/** A line of the legend, and of the subtitle. */
const LEGEND_LINE = 18
const SUBTITLE_LINE = 15
/** Curves of no more points than this have them marked: a curve of one would not show at all. */
const FEW = 10
/** Width of a character, about. */
const CHARACTER = 7

/** Levels over a common axis, with a legend below. */
export function lineFigure(spec: LineSpec, width: number, height: number, palette: Palette): Figure {
  const { curves, low, high } = spec
  const [least, most] = spec.x ?? endsOf(spec)
  // Stems stand clear of the frame.
  const rim = spec.stems && !spec.log ? 0.04 * (most - least) : 0
  const [x0, x1] = [least - rim, most + rim]
  const left = leftOf([low, high], height - TOP - BOTTOM)
  const plotWidth = Math.max(SHORTEST, width - left - RIGHT)
  const { top, bottom } = margins(spec, plotWidth)
  const axes: Axes = {
    left,
    top,
    width: plotWidth,
    height: Math.max(SHORTEST, height - top - bottom),
    x: x0 < x1 ? [x0, x1] : spec.log ? [x0 / 2, 2 * x1] : [x0 - 1, x1 + 1],
    y: [low, high],
    log: spec.log,
  }
  const styles = stylesOf(curves, palette)
  // Two figures of one page that share the name share the rectangle.
  const inside = `inside-${Math.round(axes.width)}-${Math.round(axes.height)}`
  const markup = svg(width, height, palette, [
    ...heading(left, titleLines(spec.title, plotWidth), subtitleLines(spec.subtitle, plotWidth), palette),
    ...frame(axes, spec.xTitle, spec.yTitle, palette, { angular: spec.angular }),
    `<clipPath id="${inside}">${rect(axes.left, axes.top, axes.width, axes.height, '')}</clipPath>`,
    ...inOrder(curves).map(([curve, i]) => {
      const drawn = spec.log ? positive(curve) : curve
      return spec.stems
        ? stems(drawn, axes, styles[i].colour, inside)
        : band(drawn, axes, styles[i].colour, inside) +
            runs(drawn)
              .map((run) => shape(curve, points(run, axes), styles[i], inside))
              .join('') +
            marks(drawn, axes, styles[i].colour)
    }),
    ...(spec.legend === false ? [] : legend(curves, left, top + axes.height + 56, plotWidth, styles)),
  ])
  return { width, height, markup, axes, leastHeight: top + SHORTEST + bottom }
}

/** How a curve is drawn: colour, and dashes and gaps [px] or none. */
interface CurveStyle {
  colour: string
  dashes: string
}

/** Solid first; told apart in grey, too. */
const DASHES = ['', '7 3', '2 2.5', '9 3 2 3', '13 3', '9 3 2 3 2 3']

/** Every curve by colour and dash, unless some of a figure are dashed or dots on purpose: then by colour alone, of dots by the curve's own. */
function stylesOf(curves: readonly Curve[], palette: Palette): CurveStyle[] {
  const dotted = curves.some(({ dots }) => dots !== undefined)
  const own = dotted || curves.some(({ dashed }) => dashed !== undefined)
  return curves.map(({ dashed, colour, dash }, i) => ({
    colour: palette.series[((dotted ? undefined : colour) ?? i) % palette.series.length],
    dashes: own ? (dashed ? '6 4' : '') : DASHES[(dash ?? i) % DASHES.length],
  }))
}

/** Least and greatest x of the curves, on a logarithmic axis of those above zero. */
function endsOf({ curves, log }: LineSpec): [number, number] {
  const ends: [number, number] = [Infinity, -Infinity]
  for (const { x } of curves)
    for (let i = 0; i < x.length; i++)
      if (!log || x[i] > 0) {
        ends[0] = Math.min(ends[0], x[i])
        ends[1] = Math.max(ends[1], x[i])
      }
  return ends[0] <= ends[1] ? ends : [1, 10]
}

/** The samples at x above zero. */
function positive(curve: Curve): Curve {
  const kept = Array.from(curve.x, (v, i) => (v > 0 ? i : -1)).filter((i) => i >= 0)
  return { ...curve, x: kept.map((i) => curve.x[i]), y: kept.map((i) => curve.y[i]) }
}

/** Room above and below the plotting area. */
export function margins(spec: LineSpec, plotWidth: number): { top: number; bottom: number } {
  const rows = spec.legend === false ? 0 : legendRows(spec.curves, plotWidth).length
  return {
    top: headRoom(titleLines(spec.title, plotWidth), subtitleLines(spec.subtitle, plotWidth)),
    bottom: BOTTOM + LEGEND_LINE * rows,
  }
}

/** Room above a frame for its titles: without any, for the uppermost label of its axis. */
export const headRoom = (title: readonly string[], lines: string[]): number =>
  title[0] === '' && lines.length === 0 ? BARE : TOP + SUBTITLE_LINE * (lines.length - 1) + titleRoom(title)

/** The subtitle's parts in as few lines as they fit. */
export function subtitleLines(subtitle: string, width: number): string[] {
  const lines: string[] = []
  if (subtitle === '') return lines
  for (const part of subtitle.split(/\s+·\s+/)) {
    const last = lines.at(-1)
    if (last !== undefined && CHARACTER * (last.length + 3 + part.length) <= width)
      lines[lines.length - 1] = `${last} · ${part}`
    else lines.push(part)
  }
  return lines
}

/** Curves with their numbers, dots first: where they are dense they would hide the lines. */
const inOrder = (curves: Curve[]): [Curve, number][] =>
  curves
    .map((curve, i): [Curve, number] => [curve, i])
    .sort(([a], [b]) => Number(a.dots === undefined) - Number(b.dots === undefined))

/** Error bars as an area. */
function band({ x, bars }: Curve, axes: Axes, colour: string, clip: string): string {
  if (!bars) return ''
  const ends = [...points({ x, y: bars.low }, axes), ...points({ x, y: bars.high }, axes).reverse()]
  return `<polygon clip-path="url(#${clip})" fill-opacity="0.18" fill="${colour}" points="${ends.join(' ')}"/>`
}

/** Dots at the points of a line that has few. */
function marks(curve: Curve, axes: Axes, colour: string): string {
  if (curve.dots !== undefined || curve.x.length > FEW) return ''
  const inside = (i: number): boolean => curve.y[i] >= axes.y[0] && curve.y[i] <= axes.y[1]
  const dots = points(curve, axes).map((at, i) => {
    const [x, y] = at.split(',')
    return inside(i) ? `<circle cx="${x}" cy="${y}" r="3"/>` : ''
  })
  return `<g fill="${colour}">${dots.join('')}</g>`
}

/** A curve without the samples at which there is nothing at all: a line does not lead there. */
function runs({ x, y }: Curve): Pick<Curve, 'x' | 'y'>[] {
  const found: { x: number[]; y: number[] }[] = []
  for (let i = 0; i < x.length; i++) {
    if (y[i] <= NOTHING) continue
    if (found.length === 0 || y[i - 1] <= NOTHING) found.push({ x: [], y: [] })
    const run = found[found.length - 1]
    run.x.push(x[i])
    run.y.push(y[i])
  }
  return found
}

/** A line through points, or dots at them. @param clip  name of the clip path, if any */
function shape({ dots }: Curve, at: string[], { colour, dashes }: CurveStyle, clip?: string): string {
  const inside = clip ? ` clip-path="url(#${clip})"` : ''
  if (dots === undefined)
    return `<polyline${inside} fill="none" stroke="${colour}" stroke-width="1.6" stroke-linejoin="round" ${dashes ? `stroke-dasharray="${dashes}"` : 'stroke-linecap="round"'} points="${at.join(' ')}"/>`
  // A path of no length with round ends is a dot.
  return `<path${inside} fill="none" stroke="${colour}" stroke-width="${2 * dots}" stroke-linecap="round" d="${at.map((p) => `M${p}h0`).join('')}"/>`
}

/** From the foot of the frame to a dot at each sample; what lies below the frame is left out. @param clip  name of the clip path */
function stems({ x, y }: Curve, axes: Axes, colour: string, clip: string): string {
  const foot = axes.top + axes.height
  const shown = Array.from(x, (v, i) => [atX(axes, v), atY(axes, y[i])]).filter(([, at]) => at < foot)
  const lines = shown.map(([at, level]) => `M${px(at)} ${px(foot)}V${px(level)}`).join('')
  const dots = shown.map(([at, level]) => `<circle cx="${px(at)}" cy="${px(level)}" r="3"/>`).join('')
  return `<g clip-path="url(#${clip})" stroke="${colour}" fill="${colour}"><path d="${lines}" fill="none"/>${dots}</g>`
}

function points({ x, y }: Pick<Curve, 'x' | 'y'>, axes: Axes): string[] {
  const span = axes.y[1] - axes.y[0]
  // Far below the frame a renderer's coordinates overflow: just outside is enough.
  const near = (v: number): number => Math.max(axes.y[0] - span, Math.min(axes.y[1] + span, v))
  return Array.from(x, (v, i) => `${px(atX(axes, v))},${px(atY(axes, near(y[i])))}`)
}

/** Names with their places in the legend's rows. */
function legendRows(curves: Curve[], width: number): { curve: Curve; index: number; x: number }[][] {
  const rows: { curve: Curve; index: number; x: number }[][] = []
  let end = Infinity
  curves.forEach((curve, index) => {
    const wide = DASH_SAMPLE + 26 + CHARACTER * curve.name.length
    if (end + wide > width + 20) {
      rows.push([])
      end = 0
    }
    rows[rows.length - 1].push({ curve, index, x: end })
    end += wide
  })
  return rows
}

function legend(
  curves: Curve[],
  left: number,
  top: number,
  width: number,
  styles: readonly CurveStyle[],
): string[] {
  return legendRows(curves, width).flatMap((row, r) =>
    row.flatMap(({ curve: { name, dots }, index, x: from }) => {
      const [x, y] = [left + from, top + LEGEND_LINE * r]
      const { colour, dashes } = styles[index]
      return [
        dots === undefined
          ? `<path d="M${px(x)} ${px(y - 4)}h${DASH_SAMPLE}" stroke="${colour}" stroke-width="2"${dashes ? ` stroke-dasharray="${dashes}"` : ''}/>`
          : `<circle cx="${px(x + DASH_SAMPLE / 2)}" cy="${px(y - 4)}" r="${dots}" fill="${colour}"/>`,
        text(x + DASH_SAMPLE + 6, y, name),
      ]
    }),
  )
}

/** Room below the circle, of one line of the legend [px]. */
const POLAR_BOTTOM = 40
/** From the circle to the scale of levels at its left, and room left of that for its labels [px]. */
const SCALE = 60
const LABELS = 44
/** Room for the angles around the circle [px]. */
const ANGLES = 22
const LEAST_RADIUS = 60

/** Whether angles run round the target but for the step from the last to the first [degrees]. */
function goesRound(deg: ArrayLike<number>): boolean {
  const gap = 360 - Math.abs(deg[deg.length - 1] - deg[0])
  return deg.length > 2 && gap > 0 && gap < 1.5 * Math.abs(deg[1] - deg[0])
}

/** RCS around the target: angle anticlockwise from the right as phi runs, level outwards; its scale stands beside the circle. */
export function polarFigure(spec: LineSpec, width: number, height: number, palette: Palette): Figure {
  const { curves, low, high, zero } = spec
  const styles = stylesOf(curves, palette)
  const subtitle = [spec.subtitle, spec.yTitle].filter(Boolean).join('  ·  ')
  const lines = spec.title === '' ? [] : subtitleLines(subtitle, ((width - LEFT - 8) * 7) / 5.9)
  const title = titleLines(spec.title, width - LEFT - 8)
  const top = headRoom(title, lines)
  const bottom = POLAR_BOTTOM + LEGEND_LINE * (legendRows(curves, width - LEFT - RIGHT).length - 1)
  const cx = width / 2
  const cy = top + (height - top - bottom) / 2
  const radius = Math.max(LEAST_RADIUS, Math.min(width / 2 - SCALE - LABELS, (height - top - bottom) / 2 - ANGLES)) // prettier-ignore
  const reach = (level: number): number =>
    (radius * (Math.min(high, Math.max(low, level)) - low)) / (high - low)
  const at = (deg: number, r: number): [number, number] => [
    cx + r * Math.cos((deg * Math.PI) / 180),
    cy - r * Math.sin((deg * Math.PI) / 180),
  ]
  const levels = ticks(low, high, 5)
  const labels = tickLabels(levels)
  const scaleX = cx - radius - SCALE
  const ink = `stroke="${palette.ink}"`
  const grid = `stroke="${palette.grid}" fill="none"`
  const parts = [
    ...heading(LEFT, title, lines, palette),
    ...levels
      .filter((v) => v > low)
      .map((v) => `<circle cx="${px(cx)}" cy="${px(cy)}" r="${px(reach(v))}" ${grid}/>`),
    `<circle cx="${px(cx)}" cy="${px(cy)}" r="${px(radius)}" ${ink} fill="none"/>`,
    ...Array.from({ length: 12 }, (_, i) => 30 * i).flatMap((deg) => {
      const [x, y] = at(deg, radius)
      const [tx, ty] = at(deg, radius + (deg === 0 && zero ? 16 : 9))
      const side = deg % 180 === 90 ? 'middle' : deg > 90 && deg < 270 ? 'end' : 'start'
      const name = deg === 0 && zero ? `0° ${zero}` : `${deg}°`
      return [
        `<path d="M${px(cx)} ${px(cy)}L${px(x)} ${px(y)}" ${grid}/>`,
        text(tx, ty + 4 - 4 * Math.sin((deg * Math.PI) / 180), name, `text-anchor="${side}"`),
      ]
    }),
    ...(zero ? [`<path d="M${px(cx + radius + 12)} ${px(cy)}l-10 -5v10z" fill="${palette.ink}"/>`] : []),
    ...curves.map((curve, i) => {
      const points = Array.from(curve.x, (deg, j) => at(deg, reach(curve.y[j])).map(px).join())
      if (goesRound(curve.x)) points.push(points[0])
      return shape(curve, points, styles[i])
    }),
    // Not on the rings, where the curves would cross them.
    line(scaleX, cy, scaleX, cy - radius, ink),
    ...levels.flatMap((v, i) => [
      line(scaleX - 5, cy - reach(v), scaleX, cy - reach(v), ink),
      text(scaleX - 8, cy - reach(v) + 4, labels[i], 'text-anchor="end"'),
    ]),
    ...legend(curves, LEFT, height - bottom + 30, width - LEFT - RIGHT, styles),
  ]
  const leastHeight = top + 2 * (LEAST_RADIUS + ANGLES) + bottom
  return { width, height, markup: svg(width, height, palette, parts), axes: null, leastHeight }
}
