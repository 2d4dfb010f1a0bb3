import { EDGE_SIZE, type EdgeScene } from '../cpu-diffraction/index.js'
import { dot, type Vec3 } from '../scene/index.js'
import { RayCaster, type RayScene } from '../rays/index.js'

/** The image plane that a target is seen in: centre aspect, pixels, and where the phase centre lies in them. */
export interface ImagePlane {
  /** To the radar, the cross-range axis, and the third axis (`Looks`). */
  r: Vec3
  across: Vec3
  up: Vec3
  rangeM: Float64Array
  crossRangeM: Float64Array
  phaseCentre: Vec3
  /** Shift of the target in range and cross-range [m]. */
  offsetM: readonly [number, number]
}

/** What the radar sees of a target at the centre aspect. */
export interface View {
  /** Rays that hit, one every `cell` across the line of sight. */
  hits: number
  /** Area per ray [m^2]. */
  cellArea: number
  /** Per hit: facet, range and cross-range in the image [m], cosine of the incidence, and x y z [m]. */
  facet: Uint32Array
  position: Float64Array
  cosine: Float64Array
  point: Float64Array
  /** Half the range extent of a ray's cell on its facet [m]. */
  reach: Float64Array
}

/** Most rays along a side. */
const MOST_RAYS = 256
/** Largest slope for the range extent of a cell at grazing incidence: the facet may end earlier. */
const STEEPEST = 8

/** Casts parallel rays on a square lattice over the target's outline, two per pixel up to `MOST_RAYS`. */
export function castView(scene: RayScene, plane: ImagePlane): View {
  const { r, across, up } = plane
  const extent = [Infinity, -Infinity, Infinity, -Infinity]
  const p: Vec3 = [0, 0, 0]
  for (let i = 0; i < scene.points.length; i += 3) {
    for (let a = 0; a < 3; a++) p[a] = scene.points[i + a]
    const [x, y] = [dot(p, across), -dot(p, up)]
    extent[0] = Math.min(extent[0], x)
    extent[1] = Math.max(extent[1], x)
    extent[2] = Math.min(extent[2], y)
    extent[3] = Math.max(extent[3], y)
  }
  const longest = Math.max(extent[1] - extent[0], extent[3] - extent[2])
  const pixel = Math.min(spacing(plane.rangeM), spacing(plane.crossRangeM))
  const cell = Math.max(pixel / 2, longest / MOST_RAYS)
  const nx = Math.max(1, Math.ceil((extent[1] - extent[0]) / cell))
  const ny = Math.max(1, Math.ceil((extent[3] - extent[2]) / cell))
  const caster = new RayCaster(scene)
  const view: View = {
    hits: 0,
    cellArea: cell * cell,
    facet: new Uint32Array(nx * ny),
    position: new Float64Array(2 * nx * ny),
    cosine: new Float64Array(nx * ny),
    point: new Float64Array(3 * nx * ny),
    reach: new Float64Array(nx * ny),
  }
  const centre = plane.phaseCentre.map((x, a) => x - scene.origin[a]) as Vec3
  const away = 2 * scene.diagonal
  for (let i = 0; i < nx; i++) {
    for (let j = 0; j < ny; j++) {
      const [x, y] = [extent[0] + (i + 0.5) * cell, extent[2] + (j + 0.5) * cell]
      const o = [0, 1, 2].map((a) => x * across[a] - y * up[a] + away * r[a])
      if (!caster.nearest(o[0], o[1], o[2], -r[0], -r[1], -r[2], -1)) continue
      const h = view.hits++
      const hit = o.map((v, a) => v - caster.t * r[a]) as Vec3
      const facet = caster.facet
      view.facet[h] = facet
      view.position[2 * h] = -dot(hit, r) + dot(centre, r) + plane.offsetM[0]
      view.position[2 * h + 1] = x - dot(centre, across) + plane.offsetM[1]
      const n = 4 * facet
      const normal = [...scene.normals.subarray(n, n + 3)] as Vec3
      view.cosine[h] = Math.abs(dot(normal, r))
      const slope = (Math.abs(dot(normal, across)) + Math.abs(dot(normal, up))) / view.cosine[h]
      view.reach[h] = (cell / 2) * Math.min(STEEPEST, slope)
      for (let a = 0; a < 3; a++) view.point[3 * h + a] = hit[a] + scene.origin[a]
    }
  }
  return view
}

/** Distance between neighbouring pixels of an axis [m]. */
export const spacing = (axis: Float64Array): number => (axis[axis.length - 1] - axis[0]) / (axis.length - 1)

/** Statistics of the lit facets. */
export interface VisibleFacets {
  /** Facets that at least one ray meets first, and facets in all. */
  visible: number
  facets: number
  /** Area across the line of sight [m^2]. */
  projectedAreaM2: number
  /** Mean over that area of the cosine of the incidence. */
  meanCosine: number
}

export function visibleFacets(scene: RayScene, { hits, facet, cosine, cellArea }: View): VisibleFacets {
  let sum = 0
  for (let h = 0; h < hits; h++) sum += cosine[h]
  return {
    visible: new Set(facet.subarray(0, hits)).size,
    facets: scene.count,
    projectedAreaM2: hits * cellArea,
    meanCosine: hits > 0 ? sum / hits : 0,
  }
}

/** Parts of a pixel to which positions in the mask are rounded, so that rounding errors do not decide which pixel a side belongs to. */
const PARTS = 1024

const snapped = (position: number): number => Math.round(position * PARTS) / PARTS

/**
 * Target mask over the pixels: 0 background, 1 where the target's surface projects to, 2 where lit surface does. A pixel is the square
 * around its position, and is set by all that touches it; a point exactly between two pixels belongs to the one with the larger number.
 */
export function targetMask(scene: RayScene, plane: ImagePlane, view: View): Uint8Array {
  const { r, across } = plane
  const [rows, cols] = [plane.rangeM.length, plane.crossRangeM.length]
  const mask = new Uint8Array(rows * cols)
  const centre = plane.phaseCentre.map((x, a) => x - scene.origin[a]) as Vec3
  const stepR = spacing(plane.rangeM)
  const stepC = spacing(plane.crossRangeM)
  const row = (range: number): number => snapped((range - plane.rangeM[0]) / stepR)
  const col = (cross: number): number => snapped((cross - plane.crossRangeM[0]) / stepC)
  const v: Vec3 = [0, 0, 0]
  const corners = new Float64Array(6)
  for (let t = 0; t < scene.count; t++) {
    for (let k = 0; k < 3; k++) {
      for (let a = 0; a < 3; a++) v[a] = scene.vertices[9 * t + 3 * k + a] - centre[a]
      corners[2 * k] = row(-dot(v, r) + plane.offsetM[0])
      corners[2 * k + 1] = col(dot(v, across) + plane.offsetM[1])
    }
    fillTriangle(corners, rows, cols, (at) => (mask[at] = 1))
  }
  const half = Math.sqrt(view.cellArea) / 2
  for (let h = 0; h < view.hits; h++) {
    const [range, cross, reach] = [view.position[2 * h], view.position[2 * h + 1], view.reach[h]]
    const [top, left] = [row(range - reach), col(cross - half)].map((x) => Math.max(0, Math.round(x)))
    const bottom = Math.min(rows - 1, Math.round(row(range + reach)))
    const right = Math.min(cols - 1, Math.round(col(cross + half)))
    for (let i = top; i <= bottom; i++)
      for (let l = left; l <= right; l++)
        // The facet may end within the cell of its ray.
        if (mask[i * cols + l]) mask[i * cols + l] = 2
  }
  return mask
}

/** Calls `put` with the pixels that a triangle of (row, column) corners touches. */
function fillTriangle(c: Float64Array, rows: number, cols: number, put: (at: number) => void): void {
  const low = Math.max(0, Math.round(Math.min(c[0], c[2], c[4])))
  const high = Math.min(rows - 1, Math.round(Math.max(c[0], c[2], c[4])))
  for (let i = low; i <= high; i++) {
    // Columns of the part of its outline that lies in the row.
    let [from, to] = [Infinity, -Infinity]
    for (let k = 0; k < 3; k++) {
      const [r0, c0, r1, c1] = [c[2 * k], c[2 * k + 1], c[(2 * k + 2) % 6], c[(2 * k + 3) % 6]]
      const [first, last] = [Math.max(i - 0.5, Math.min(r0, r1)), Math.min(i + 0.5, Math.max(r0, r1))]
      if (first > last) continue
      for (const x of r0 === r1
        ? [c0, c1]
        : [first, last].map((r) => c0 + ((r - r0) / (r1 - r0)) * (c1 - c0))) {
        from = Math.min(from, snapped(x))
        to = Math.max(to, snapped(x))
      }
    }
    const end = Math.min(cols - 1, Math.round(to))
    for (let l = Math.max(0, Math.round(from)); l <= end; l++) put(i * cols + l)
  }
}

/** Origin on the target of a point of the image: a facet or an edge, and a point on it [m]; -1 where there is none. */
export interface Origin {
  id: number
  point: Vec3
}

const NOWHERE: Origin = { id: -1, point: [0, 0, 0] }

/**
 * The lit facet that a point of the image most likely comes from: of those within a resolution cell the one with the most
 * projected area, each part weighted by the sixth power of the cosine of its incidence (surface square to the radar
 * shines). The point is the mean of its lit points there.
 */
export function facetAt(
  view: View,
  range: number,
  crossRange: number,
  cellM: readonly [number, number],
): Origin {
  const score = new Map<number, number[]>()
  for (let h = 0; h < view.hits; h++) {
    if (Math.abs(view.position[2 * h] - range) > cellM[0]) continue
    if (Math.abs(view.position[2 * h + 1] - crossRange) > cellM[1]) continue
    const sum = score.get(view.facet[h]) ?? [0, 0, 0, 0, 0]
    sum[0] += view.cosine[h] ** 6
    for (let a = 0; a < 3; a++) sum[1 + a] += view.point[3 * h + a]
    sum[4]++
    score.set(view.facet[h], sum)
  }
  let best = NOWHERE
  let most = 0
  for (const [id, sum] of score)
    if (sum[0] > most) {
      most = sum[0]
      best = { id, point: [sum[1] / sum[4], sum[2] / sum[4], sum[3] / sum[4]] }
    }
  return best
}

/** The diffracting edge nearest to a point of the image, within two resolution cells, and the nearest point on it. */
export function edgeAt(
  edges: EdgeScene,
  plane: ImagePlane,
  range: number,
  crossRange: number,
  cellM: readonly [number, number],
): Origin {
  const { r, across } = plane
  const centre = plane.phaseCentre.map((x, a) => x - edges.origin[a]) as Vec3
  let best = NOWHERE
  let nearest = 2
  for (let e = 0; e < edges.count; e++) {
    const at = EDGE_SIZE * e
    const [start, tangent] = [0, 3].map((o) => [...edges.edges.subarray(at + o, at + o + 3)] as Vec3)
    const from = start.map((x, a) => x - centre[a]) as Vec3
    // In resolution cells, from the point of the image.
    const x = (-dot(from, r) + plane.offsetM[0] - range) / cellM[0]
    const y = (dot(from, across) + plane.offsetM[1] - crossRange) / cellM[1]
    const dx = -dot(tangent, r) / cellM[0]
    const dy = dot(tangent, across) / cellM[1]
    const length = edges.edges[at + 6]
    const square = dx * dx + dy * dy
    const along = square > 0 ? Math.max(0, Math.min(length, -(x * dx + y * dy) / square)) : length / 2
    const distance = Math.hypot(x + along * dx, y + along * dy)
    if (distance < nearest) {
      nearest = distance
      best = { id: e, point: start.map((s, a) => s + along * tangent[a] + edges.origin[a]) as Vec3 }
    }
  }
  return best
}
