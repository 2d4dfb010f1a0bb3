import type { Outline } from '../isar/index.js'
import { atX, atY, type Axes } from './axes.js'
import { px } from './markup.js'

/** Thin and pale, so that the image shows through; edges fainter than the silhouette. */
const SILHOUETTE = 'stroke="#d6e4ea" stroke-width="0.9" stroke-opacity="0.6"'
const EDGES = 'stroke="#d6e4ea" stroke-width="0.7" stroke-opacity="0.35"'
/** About the silhouette, where it crosses bright pixels. */
const HALO = 'stroke="#10141a" stroke-width="2.2" stroke-opacity="0.3"'

/** A target's outline over its image, in pixels of these axes. */
export const outlineOf = ({ silhouette, edges }: Outline, axes: Axes): string[] =>
  [path(edges, EDGES, axes), path(silhouette, HALO, axes), path(silhouette, SILHOUETTE, axes)].filter(
    (line) => line !== '',
  )

/** Lines that share an end are drawn as one: half-transparent ends would lie over one another. */
function path(lines: Float64Array, style: string, axes: Axes): string {
  let d = ''
  let last = ''
  for (let i = 0; i < lines.length; i += 4) {
    const [from, to] = [0, 2].map((end) => `${px(atX(axes, lines[i + end]))} ${px(atY(axes, lines[i + end + 1]))}`) // prettier-ignore
    if (from === to) continue
    d += from === last ? `L${to}` : `M${from}L${to}`
    last = to
  }
  return d && `<path d="${d}" fill="none" stroke-linecap="round" ${style}/>`
}
