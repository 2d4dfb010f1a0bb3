import { type Figure, heading, LEFT, type Palette, svg } from './axes.js'
import {
  headRoom,
  legend,
  LEGEND_LINE,
  legendRows,
  type LineSpec,
  RIGHT,
  shape,
  stylesOf,
  subtitleLines,
} from './line-figure.js'
import { line, px, text } from './markup.js'
import { tickLabels, ticks } from './ticks.js'

/** Room below the circle, of one line of the legend [px]. */
const BOTTOM = 40
/** From the circle to the scale of levels at its left, and room left of that for its labels [px]. */
const SCALE = 60
const LABELS = 44

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
  const top = headRoom(spec.title, lines)
  const bottom = BOTTOM + LEGEND_LINE * (legendRows(curves, width - LEFT - RIGHT).length - 1)
  const cx = width / 2
  const cy = top + (height - top - bottom) / 2
  const radius = Math.max(60, Math.min(width / 2 - SCALE - LABELS, (height - top - bottom) / 2 - 22))
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
    ...heading(LEFT, spec.title, lines, palette),
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
  return { width, height, markup: svg(width, height, palette, parts), axes: null }
}
