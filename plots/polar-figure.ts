import { type Figure, heading, LEFT, type Palette, svg } from './axes.js'
import { legend, type LineSpec, RIGHT, shape } from './line-figure.js'
import { px, text } from './markup.js'
import { tickLabels, ticks } from './ticks.js'

/** Room above the circle and below it [px]. */
const TOP = 48
const BOTTOM = 40
/** Angles at one of which the rings' levels stand: between spokes [degrees]. */
const LABELLED = [75, 45, 15, 105, 135, 165, 195, 225, 255, 285, 315, 345]
/** Half of a label's size [px]. */
const LABEL = { width: 17, height: 9 }

type Point = [number, number]

/** RCS around the target: angle anticlockwise from the right as phi runs, level outwards. */
export function polarFigure(spec: LineSpec, width: number, height: number, palette: Palette): Figure {
  const { curves, low, high, zero } = spec
  const cx = width / 2
  const cy = TOP + (height - TOP - BOTTOM) / 2
  const radius = Math.max(60, Math.min(width / 2 - 70, (height - TOP - BOTTOM) / 2 - 22))
  const reach = (level: number): number =>
    (radius * (Math.min(high, Math.max(low, level)) - low)) / (high - low)
  const at = (deg: number, r: number): Point => [
    cx + r * Math.cos((deg * Math.PI) / 180),
    cy - r * Math.sin((deg * Math.PI) / 180),
  ]
  const rings = ticks(low, high, 5).filter((v) => v > low)
  const lines = curves.map((curve) => Array.from(curve.x, (deg, j) => at(deg, reach(curve.y[j]))))
  const labelDeg = clearest(
    rings.map(reach),
    lines.flat().map(([x, y]): Point => [x - cx, cy - y]),
  )
  const labels = tickLabels(rings)
  const grid = `stroke="${palette.grid}" fill="none"`
  const parts = [
    ...heading(LEFT, spec.title, [`${spec.subtitle}  ·  ${spec.yTitle}`], palette),
    ...rings.map((v) => `<circle cx="${px(cx)}" cy="${px(cy)}" r="${px(reach(v))}" ${grid}/>`),
    `<circle cx="${px(cx)}" cy="${px(cy)}" r="${px(radius)}" stroke="${palette.ink}" fill="none"/>`,
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
    ...curves.map(
      (curve, i) =>
      shape(curve, lines[i].map((p) => p.map(px).join()), palette.series[i % palette.series.length]), // prettier-ignore
    ),
    ...rings.map((v, i) => {
      const [x, y] = at(labelDeg, reach(v))
      return text(
        x,
        y + 4,
        labels[i],
        `text-anchor="middle" fill="${palette.faint}" paint-order="stroke" stroke="${palette.paper}" stroke-width="3"`,
      )
    }),
    ...legend(curves, LEFT, height - 10, width - LEFT - RIGHT, palette),
  ]
  return { width, height, markup: svg(width, height, palette, parts), axes: null }
}

/** The angle at which labels of rings of these radii cover the fewest points of curves [degrees]. @param points  from the centre, y upwards */
function clearest(radii: number[], points: Point[]): number {
  const covered = (deg: number): number =>
    radii.reduce((sum, r) => {
      const [x, y] = [r * Math.cos((deg * Math.PI) / 180), r * Math.sin((deg * Math.PI) / 180)]
      const near = ([a, b]: Point): boolean => Math.abs(a - x) < LABEL.width && Math.abs(b - y) < LABEL.height
      return sum + points.filter(near).length
    }, 0)
  const counts = LABELLED.map(covered)
  return LABELLED[counts.indexOf(Math.min(...counts))]
}
