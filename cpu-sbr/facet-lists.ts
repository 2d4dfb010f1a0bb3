import {
  type Aperture,
  facetDistance,
  GRAZING_COSINE,
  type RayScene,
  TILE,
  type TileRange,
} from '../rays/index.js'
import { OUTLINE_SLACK, type SlotCorners } from './prism.js'

/** Rounding moves a hit along the ray by less than this part of the diagonal over the cosine. */
const ROUNDING = 1e-14

/** Outlines are widened by this part of the diagonal: more than single precision rounds them by. */
const BOUNDS_SLACK = 1e-6

/**
 * Lists of facets that parallel rays may meet, one after the other: entries start ... end - 1 make up one. A list serves all
 * directions it was searched for (`PrismQuery`); `aim` computes the numbers of one of them.
 */
export class FacetLists {
  /** Leaf slots. */
  slots = new Int32Array(4096)
  /** Whatever the owner keeps of an entry; -1 at first. */
  next = new Int32Array(4096)
  /** Cosine of the facet with the rays, as a search of the BVH computes it; NaN where they pass it by. */
  private cosines = new Float64Array(4096)
  /** What no hit with it lies before along the rays, as a plane's constant [m]. */
  private depths = new Float64Array(4096)
  /** The facet's outline lies within, seen along the rays in the coordinate plane that they mainly run across: least and largest of both coordinates [m]. */
  private bounds = new Float32Array(4 * 4096)
  length = 0

  constructor(
    private readonly scene: RayScene,
    private readonly corners: SlotCorners['corners'],
  ) {}

  /** Adds slots[0 ... count) as a list and returns where it starts. */
  add(slots: Int32Array, count: number): number {
    const start = this.length
    const end = (this.length += count)
    if (end > this.slots.length) {
      this.slots = longer(this.slots, 2 * end)
      this.next = longer(this.next, 2 * end)
      this.cosines = longer(this.cosines, 2 * end)
      this.depths = longer(this.depths, 2 * end)
      this.bounds = longer(this.bounds, 8 * end)
    }
    for (let i = 0; i < count; i++) this.slots[start + i] = slots[i]
    this.next.fill(-1, start, end)
    return start
  }

  /** Makes a list ready for rays along unit d[to ... to + 2]: entries in the order in which they may be met. */
  aim(start: number, end: number, d: Float64Array, to: number): void {
    const { corners, slots, next, cosines, depths, bounds } = this
    const slack = BOUNDS_SLACK * this.scene.diagonal
    const { planes, diagonal } = this.scene
    const dx = d[to]
    const dy = d[to + 1]
    const dz = d[to + 2]
    for (let i = start; i < end; i++) {
      const slot = slots[i]
      const kept = next[i]
      const p = 12 * slot
      const c = 9 * slot
      const cosine = planes[p] * dx + planes[p + 1] * dy + planes[p + 2] * dz
      const grazed = cosine < GRAZING_COSINE && cosine > -GRAZING_COSINE
      const a = corners[c] * dx + corners[c + 1] * dy + corners[c + 2] * dz
      const b = corners[c + 3] * dx + corners[c + 4] * dy + corners[c + 5] * dz
      const e = corners[c + 6] * dx + corners[c + 7] * dy + corners[c + 8] * dz
      const nearest = a < b ? (a < e ? a : e) : b < e ? b : e
      const depth = grazed ? Infinity : nearest - (OUTLINE_SLACK + ROUNDING / Math.abs(cosine)) * diagonal
      let at = i
      for (; at > start && depths[at - 1] > depth; at--) {
        slots[at] = slots[at - 1]
        next[at] = next[at - 1]
        cosines[at] = cosines[at - 1]
        depths[at] = depths[at - 1]
      }
      slots[at] = slot
      next[at] = kept
      cosines[at] = grazed ? NaN : cosine
      depths[at] = depth
    }
    const main = mainAxis(dx, dy, dz)
    const p = main === 0 ? 1 : 0
    const q = main === 2 ? 1 : 2
    const slopeP = d[to + p] / d[to + main]
    const slopeQ = d[to + q] / d[to + main]
    for (let i = start; i < end; i++) {
      let [x0, y0, x1, y1] = [Infinity, Infinity, -Infinity, -Infinity]
      for (let c = 9 * slots[i], last = c + 9; c < last; c += 3) {
        const x = corners[c + p] - corners[c + main] * slopeP
        const y = corners[c + q] - corners[c + main] * slopeQ
        if (x < x0) x0 = x
        if (x > x1) x1 = x
        if (y < y0) y0 = y
        if (y > y1) y1 = y
      }
      bounds[4 * i] = x0 - slack
      bounds[4 * i + 1] = x1 + slack
      bounds[4 * i + 2] = y0 - slack
      bounds[4 * i + 3] = y1 + slack
    }
  }

  /**
   * The entry of the facet that a ray from o[at ... at + 2] along d[to ... to + 2], which the list is aimed at, meets first; -1: none.
   * Of facets at the same distance the lower number wins.
   */
  nearest(start: number, end: number, o: Float64Array, at: number, d: Float64Array, to: number): number {
    const { planes, order } = this.scene
    const { slots, cosines, depths, bounds } = this
    const ox = o[at]
    const oy = o[at + 1]
    const oz = o[at + 2]
    const dx = d[to]
    const dy = d[to + 1]
    const dz = d[to + 2]
    const main = mainAxis(dx, dy, dz)
    const along = o[at + main] / d[to + main]
    const across = main === 0 ? oy - along * dy : ox - along * dx
    const over = main === 2 ? oy - along * dy : oz - along * dz
    const depth = ox * dx + oy * dy + oz * dz
    let best = Infinity
    let found = -1
    for (let i = start; i < end && depths[i] <= depth + best; i++) {
      const b = 4 * i
      if (across < bounds[b] || across > bounds[b + 1] || over < bounds[b + 2] || over > bounds[b + 3])
        continue
      const p = 12 * slots[i]
      const t = facetDistance(planes, p, cosines[i], ox, oy, oz, dx, dy, dz, best)
      if (t < 0 || (t === best && order[slots[i]] > order[slots[found]])) continue
      best = t
      found = i
    }
    return found
  }

  /** Whether anything listed stands in the way of a ray as for `nearest`. */
  blocks(start: number, end: number, o: Float64Array, at: number, d: Float64Array, to: number): boolean {
    const { planes } = this.scene
    const { slots, cosines, bounds } = this
    const ox = o[at]
    const oy = o[at + 1]
    const oz = o[at + 2]
    const dx = d[to]
    const dy = d[to + 1]
    const dz = d[to + 2]
    const main = mainAxis(dx, dy, dz)
    const along = o[at + main] / d[to + main]
    const across = main === 0 ? oy - along * dy : ox - along * dx
    const over = main === 2 ? oy - along * dy : oz - along * dz
    for (let i = start; i < end; i++) {
      const b = 4 * i
      if (across < bounds[b] || across > bounds[b + 1] || over < bounds[b + 2] || over > bounds[b + 3])
        continue
      const p = 12 * slots[i]
      if (facetDistance(planes, p, cosines[i], ox, oy, oz, dx, dy, dz, Infinity) > 0) return true
    }
    return false
  }
}

/** The axis, 0 to 2, that a direction mainly runs along. */
function mainAxis(x: number, y: number, z: number): number {
  const [a, b, c] = [Math.abs(x), Math.abs(y), Math.abs(z)]
  return a > b ? (a > c ? 0 : 2) : b > c ? 1 : 2
}

/** A copy with room for more. */
export function longer<T extends Int32Array | Uint32Array | Uint8Array | Float32Array | Float64Array>(
  array: T,
  length: number,
): T {
  const copy = new (array.constructor as new (length: number) => T)(length)
  copy.set(array)
  return copy
}

/** Facets that show less than this part of their box count as their box: their sides cannot be distinguished. */
const THIN = 1e-6

/**
 * Facets, enlarged as `RayScene.planes` has them, seen along the incidence on the lattice of an aperture (units of h; cell (i, j) is
 * the square from (i, j) to (i + 1, j + 1)), by leaf slot: all that a ray might meet, backs too.
 */
export class FacetOutlines {
  /** 4 numbers per slot: least x, y, largest x, y. */
  readonly box: Float64Array
  /** Cosine of the facet's normal with the incidence, as a search of the BVH computes it. */
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
    for (let e = 0; e < 6; e += 2) {
      const from = a + e
      const to = e < 4 ? from + 2 : a
      // Normal of the side, to its inner side; the square's corner that is farthest there.
      const nx = -turn * (xy[to + 1] - xy[from + 1])
      const ny = turn * (xy[to] - xy[from])
      const px = nx > 0 ? x + side : x
      const py = ny > 0 ? y + side : y
      if (!(nx * (px - xy[from]) + ny * (py - xy[from + 1]) >= -slack * (Math.abs(nx) + Math.abs(ny))))
        return false
    }
    return true
  }
}
