import { type Aperture, GRAZING_COSINE, type RayScene, TILE, type TileRange } from '../rays/index.js'
import { OUTLINE_SLACK, type SlotCorners } from './prism.js'

/** Facets that show less than this part of their box are taken for their box: their sides are not told apart. */
const THIN = 1e-6

/**
 * Facets, enlarged as `RayScene.planes` has them, seen along the incidence on the lattice of an aperture (units of h; cell (i, j) is
 * the square from (i, j) to (i + 1, j + 1)), by leaf slot: all that a ray might meet, backs too.
 */
export class FacetOutlines {
  /** 4 numbers per slot: least x, y, largest x, y. */
  readonly box: Float64Array
  /** Cosine of the facet's normal with the incidence, as a search of the hierarchy computes it. */
  readonly cosines: Float64Array
  /** In units of h. */
  readonly slack: number
  /** 6 numbers per slot: corners. */
  private readonly xy: Float64Array

  constructor(scene: RayScene, { u, v, d, h, offset }: Aperture, { corners }: SlotCorners) {
    const { planes, count } = scene
    this.slack = (OUTLINE_SLACK * scene.diagonal) / h
    this.box = new Float64Array(4 * count)
    this.cosines = new Float64Array(count)
    this.xy = new Float64Array(6 * count)
    const { box, xy } = this
    for (let slot = 0; slot < count; slot++) {
      const p = 12 * slot
      this.cosines[slot] = planes[p] * d[0] + planes[p + 1] * d[1] + planes[p + 2] * d[2]
      const b = 4 * slot
      box[b] = box[b + 1] = Infinity
      box[b + 2] = box[b + 3] = -Infinity
      for (let i = 0; i < 3; i++) {
        const c = 9 * slot + 3 * i
        const x = (corners[c] * u[0] + corners[c + 1] * u[1] + corners[c + 2] * u[2]) / h - offset[0]
        const y = (corners[c] * v[0] + corners[c + 1] * v[1] + corners[c + 2] * v[2]) / h - offset[1]
        xy[6 * slot + 2 * i] = x
        xy[6 * slot + 2 * i + 1] = y
        if (x < box[b]) box[b] = x
        if (y < box[b + 1]) box[b + 1] = y
        if (x > box[b + 2]) box[b + 2] = x
        if (y > box[b + 3]) box[b + 3] = y
      }
    }
  }

  /** Whether a facet's box comes near a rectangle. */
  near(slot: number, x0: number, y0: number, x1: number, y1: number): boolean {
    const { box, slack } = this
    const b = 4 * slot
    return (
      box[b + 2] + slack >= x0 && box[b] - slack <= x1 && box[b + 3] + slack >= y0 && box[b + 1] - slack <= y1
    )
  }

  /** Slots that come near each tile of a range, borders included: of tile n, row by row, slots[start[n] ... start[n + 1]). */
  before(range: TileRange): { start: Uint32Array; slots: Int32Array } {
    const { box, slack, cosines } = this
    const { i0, j0, ni, nj } = range
    const start = new Uint32Array(ni * nj + 1)
    const pairs: number[] = []
    for (let slot = 0; slot < cosines.length; slot++) {
      if (cosines[slot] < GRAZING_COSINE && cosines[slot] > -GRAZING_COSINE) continue
      const b = 4 * slot
      const iFrom = Math.ceil((box[b] - slack) / TILE) - 1
      const iTo = Math.floor((box[b + 2] + slack) / TILE)
      const jFrom = Math.ceil((box[b + 1] - slack) / TILE) - 1
      const jTo = Math.floor((box[b + 3] + slack) / TILE)
      const one = iFrom === iTo && jFrom === jTo
      for (let j = Math.max(jFrom, j0); j <= Math.min(jTo, j0 + nj - 1); j++)
        for (let i = Math.max(iFrom, i0); i <= Math.min(iTo, i0 + ni - 1); i++) {
          if (!one && !this.reaches(slot, TILE * i, TILE * j, TILE)) continue
          const tile = (j - j0) * ni + i - i0
          start[tile + 1]++
          pairs.push(tile, slot)
        }
    }
    for (let n = 0; n < ni * nj; n++) start[n + 1] += start[n]
    const fill = start.slice()
    const slots = new Int32Array(pairs.length / 2)
    for (let n = 0; n < pairs.length; n += 2) slots[fill[pairs[n]]++] = pairs[n + 1]
    return { start, slots }
  }

  /** Whether a facet whose box comes near a square does so itself: no side of it has the square beyond. */
  private reaches(slot: number, x: number, y: number, side: number): boolean {
    const { xy, box, slack } = this
    const a = 6 * slot
    const [ax, ay, bx, by, cx, cy] = [xy[a], xy[a + 1], xy[a + 2], xy[a + 3], xy[a + 4], xy[a + 5]]
    const area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
    const b = 4 * slot
    if (Math.abs(area) < THIN * (box[b + 2] - box[b]) * (box[b + 3] - box[b + 1])) return true
    const turn = area > 0 ? 1 : -1
    return (
      within(ax, ay, bx, by, x, y, side, turn, slack) &&
      within(bx, by, cx, cy, x, y, side, turn, slack) &&
      within(cx, cy, ax, ay, x, y, side, turn, slack)
    )
  }
}

/** Whether some corner of a square lies on the inner side of the edge from a to b (left of it for turn = 1), or near it. */
function within(
  ax: number,
  ay: number,
  bx: number,
  by: number,
  x: number,
  y: number,
  side: number,
  turn: number,
  slack: number,
): boolean {
  const nx = -turn * (by - ay)
  const ny = turn * (bx - ax)
  const px = nx > 0 ? x + side : x
  const py = ny > 0 ? y + side : y
  return nx * (px - ax) + ny * (py - ay) >= -slack * (Math.abs(nx) + Math.abs(ny))
}
