import {
  type Box,
  cross,
  direction,
  dot,
  edgeTable,
  InputError,
  type Mesh,
  type Vec3,
} from '../scene/index.js'

/** Lines of a target in the image plane, as its image shows them: 4 numbers each, cross-range and range of both ends [m]. */
export interface Outline {
  /** Where the surface turns away from the image plane's normal, and rims of sheets. */
  silhouette: Float64Array
  /** Edges where faces meet at `SHARP_DEG` or more. */
  edges: Float64Array
}

/** The plane of an image: that of its middle aspect, or of these unit vectors where cross-range is not along phi-hat. */
export interface ImageAspect {
  thetaDeg: number
  phiDeg: number
  plane?: { towardsRadar: Vec3; crossRange: Vec3 }
}

/** Faces that meet at less make no line: facets of one curved surface [degrees]. */
const SHARP_DEG = 30
const FLAT = -Math.cos((SHARP_DEG * Math.PI) / 180)
/** Cells of the depth map along the longer side of the target. */
const CELLS = 1024

/**
 * Outline of a target as projected into its ISAR image: along theta-hat, the normal of the plane of range -r . r-hat and cross-range r . phi-hat
 * at one aspect, or normal to another plane, relative to the phase centre. Seen from -theta-hat the picture has range upwards and cross-range to the right. Lines that the target itself hides
 * are left out, by a depth map of 1,024 cells; what shows ends within a cell.
 */
export function targetOutline(
  mesh: Mesh,
  aspect: ImageAspect,
  phaseCentre: readonly [number, number, number] = [0, 0, 0],
): Outline {
  const points = project(mesh.positions, aspect, phaseCentre)
  const map = new DepthMap(points, mesh.triangles)
  const { count, start, half, low, high } = edgeTable(mesh)
  const silhouette: number[] = []
  const edges: number[] = []
  const thirds: number[] = []
  for (let e = 0; e < count; e++) {
    thirds.length = 0
    for (let i = start[e]; i < start[e + 1]; i++)
      thirds.push(mesh.triangles[half[i] % 3 === 0 ? half[i] + 2 : half[i] - 1])
    const [a, b] = [low[e], high[e]]
    if (isContour(points, a, b, thirds)) addVisible(silhouette, map, points, a, b)
    else if (isSharp(mesh.positions, a, b, thirds)) addVisible(edges, map, points, a, b)
  }
  return { silhouette: Float64Array.from(silhouette), edges: Float64Array.from(edges) }
}

/** Cross-range, range and height towards the viewer of every vertex [m]. */
function project(
  positions: Float64Array,
  { thetaDeg, phiDeg, plane }: ImageAspect,
  centre: readonly [number, number, number],
): Float64Array {
  const { r, phiHat } = direction(thetaDeg, phiDeg)
  const { towardsRadar, crossRange } = plane ?? { towardsRadar: r, crossRange: phiHat }
  const up = cross(towardsRadar, crossRange)
  const out = new Float64Array(positions.length)
  for (let i = 0; i < positions.length; i += 3) {
    const at: Vec3 = [positions[i] - centre[0], positions[i + 1] - centre[1], positions[i + 2] - centre[2]]
    out[i] = dot(at, crossRange)
    out[i + 1] = -dot(at, towardsRadar)
    out[i + 2] = dot(at, up)
  }
  return out
}

/** Sines of facets seen edge-on, which rounding leaves. */
const EDGE_ON = 1e-9

/** Whether all facets at an edge that are not seen edge-on lie to one side of it, as projected. @param thirds  their third corners */
function isContour(p: Float64Array, a: number, b: number, thirds: number[]): boolean {
  const [ux, uy] = [p[3 * b] - p[3 * a], p[3 * b + 1] - p[3 * a + 1]]
  let [left, right] = [false, false]
  for (const c of thirds) {
    const [vx, vy, vz] = [p[3 * c] - p[3 * a], p[3 * c + 1] - p[3 * a + 1], p[3 * c + 2] - p[3 * a + 2]]
    const side = ux * vy - uy * vx
    if (Math.abs(side) <= EDGE_ON * Math.hypot(ux, uy) * Math.hypot(vx, vy, vz)) continue
    if (side > 0) left = true
    else right = true
  }
  return left !== right
}

/** Whether some two facets at an edge meet at `SHARP_DEG` or more. */
function isSharp(p: Float64Array, a: number, b: number, thirds: number[]): boolean {
  for (let i = 1; i < thirds.length; i++)
    for (let j = 0; j < i; j++)
      if (cosineAt(p, 3 * a, 3 * b, 3 * thirds[i], 3 * thirds[j]) > FLAT) return true
  return false
}

/** Cosine of the angle between the facets a b c and a b d about their edge: -1 where they are coplanar. */
function cosineAt(p: Float64Array, a: number, b: number, c: number, d: number): number {
  const [ux, uy, uz] = [p[b] - p[a], p[b + 1] - p[a + 1], p[b + 2] - p[a + 2]]
  const [vx, vy, vz] = [p[c] - p[a], p[c + 1] - p[a + 1], p[c + 2] - p[a + 2]]
  const [wx, wy, wz] = [p[d] - p[a], p[d + 1] - p[a + 1], p[d + 2] - p[a + 2]]
  const uu = ux * ux + uy * uy + uz * uz
  const uv = ux * vx + uy * vy + uz * vz
  const uw = ux * wx + uy * wy + uz * wz
  // Of the parts across the edge: v - u uv / uu, w - u uw / uu.
  const vv = vx * vx + vy * vy + vz * vz - (uv * uv) / uu
  const ww = wx * wx + wy * wy + wz * wz - (uw * uw) / uu
  return (vx * wx + vy * wy + vz * wz - (uv * uw) / uu) / Math.sqrt(vv * ww)
}

/** Of an edge that is partly hidden, shorter parts are the ends at a silhouette, where cells beside it are empty [cells]. */
const STUB = 3

/** Adds the parts of an edge that show. */
function addVisible(to: number[], map: DepthMap, p: Float64Array, a: number, b: number): void {
  const length = Math.hypot(p[3 * b] - p[3 * a], p[3 * b + 1] - p[3 * a + 1])
  const steps = Math.ceil(length / map.cell)
  const at = (c: number, i: number): number => p[3 * a + c] + ((p[3 * b + c] - p[3 * a + c]) * i) / steps
  if (length <= EDGE_ON * map.cell) return
  for (let i = 0, from = -1; i <= steps + 1; i++) {
    const shows = i <= steps && map.shows(at(0, i), at(1, i), at(2, i))
    if (shows && from < 0) from = i
    if (shows || from < 0) continue
    if (i - 1 - from >= Math.min(steps, STUB)) to.push(at(0, from), at(1, from), at(0, i - 1), at(1, i - 1))
    from = -1
  }
}

/** Greatest height of a projected target over cells of the image plane. */
class DepthMap {
  readonly cell: number
  private readonly left: number
  private readonly foot: number
  private readonly columns: number
  private readonly rows: number
  private readonly height: Float32Array

  constructor(points: Float64Array, triangles: Uint32Array) {
    const [low, high] = [[Infinity, Infinity], [-Infinity, -Infinity]] // prettier-ignore
    for (let i = 0; i < points.length; i += 3)
      for (let c = 0; c < 2; c++) {
        low[c] = Math.min(low[c], points[i + c])
        high[c] = Math.max(high[c], points[i + c])
      }
    this.cell = Math.max(high[0] - low[0], high[1] - low[1]) / CELLS
    // A rim of two empty cells: what stands at it is looked up beyond it.
    ;[this.left, this.foot] = [low[0] - 2 * this.cell, low[1] - 2 * this.cell]
    this.columns = Math.ceil((high[0] - low[0]) / this.cell) + 5
    this.rows = Math.ceil((high[1] - low[1]) / this.cell) + 5
    this.height = new Float32Array(this.columns * this.rows).fill(-Infinity)
    for (let t = 0; t < triangles.length; t += 3)
      this.draw(points, 3 * triangles[t], 3 * triangles[t + 1], 3 * triangles[t + 2])
  }

  /** Draws the facet of three corners at the centres of cells. */
  private draw(p: Float64Array, a: number, b: number, c: number): void {
    const { left, foot, cell, columns, height } = this
    const [ux, uy, uz] = [p[b] - p[a], p[b + 1] - p[a + 1], p[b + 2] - p[a + 2]]
    const [vx, vy, vz] = [p[c] - p[a], p[c + 1] - p[a + 1], p[c + 2] - p[a + 2]]
    const area = ux * vy - uy * vx
    if (area === 0) return
    const first = (axis: number, origin: number): number =>
      Math.ceil((Math.min(p[a + axis], p[b + axis], p[c + axis]) - origin) / cell - 0.5)
    const last = (axis: number, origin: number): number =>
      Math.floor((Math.max(p[a + axis], p[b + axis], p[c + axis]) - origin) / cell - 0.5)
    for (let row = first(1, foot); row <= last(1, foot); row++)
      for (let column = first(0, left); column <= last(0, left); column++) {
        const x = left + (column + 0.5) * cell - p[a]
        const y = foot + (row + 0.5) * cell - p[a + 1]
        const s = (x * vy - y * vx) / area
        const t = (ux * y - uy * x) / area
        if (s < 0 || t < 0 || s + t > 1) continue
        const at = row * columns + column
        height[at] = Math.max(height[at], p[a + 2] + s * uz + t * vz)
      }
  }

  /** Whether a point of the surface shows: nothing covers it in its cell, or in one beside it. */
  shows(x: number, y: number, z: number): boolean {
    const column = Math.floor((x - this.left) / this.cell)
    const row = Math.floor((y - this.foot) / this.cell)
    for (let i = -1; i <= 1; i++)
      for (let j = -1; j <= 1; j++)
        if (this.height[(row + i) * this.columns + column + j] <= z + this.cell) return true
    return false
  }
}

/** Where a target lies in the image plane, relative to the phase centre: [low, high] of each axis [m]. */
export interface ImageExtent {
  rangeM: [number, number]
  crossRangeM: [number, number]
}

/** The eight corners of a bounding box, x y z each [m]. */
export function boxCorners({ min, max }: Box): Float64Array {
  const corners = new Float64Array(24)
  for (let i = 0; i < 8; i++) for (let a = 0; a < 3; a++) corners[3 * i + a] = (i >> a) & 1 ? max[a] : min[a]
  return corners
}

/**
 * Extent of points in range, -r . r-hat, and cross-range, r . phi-hat, seen from one aspect [m].
 * @param points x y z of each [m]: the target's vertices, or the corners of its bounding box.
 * @throws InputError where there is no point.
 */
export function imageExtent(
  points: Float64Array,
  thetaDeg: number,
  phiDeg: number,
  phaseCentre: readonly [number, number, number] = [0, 0, 0],
): ImageExtent {
  if (points.length < 3) throw new InputError('the target has no vertices: nothing to image')
  const { r, phiHat } = direction(thetaDeg, phiDeg)
  const extent: ImageExtent = { rangeM: [Infinity, -Infinity], crossRangeM: [Infinity, -Infinity] }
  for (let i = 0; i < points.length; i += 3) {
    const x = points[i] - phaseCentre[0]
    const y = points[i + 1] - phaseCentre[1]
    const z = points[i + 2] - phaseCentre[2]
    include(extent.rangeM, -(x * r[0] + y * r[1] + z * r[2]))
    include(extent.crossRangeM, x * phiHat[0] + y * phiHat[1] + z * phiHat[2])
  }
  return extent
}

function include(interval: [number, number], value: number): void {
  if (value < interval[0]) interval[0] = value
  if (value > interval[1]) interval[1] = value
}
