import type { Target } from '../../scene/index.js'

/** Unit normal n and offset d: n·x = d [wavelengths]. */
export type Plane = [number, number, number, number]

/** The target's facets in wavelengths about the box's centre, ordered by place, so that neither its place nor the order of facets matters. */
export interface InputSurface {
  /** x, y, z of each vertex [wavelengths]. */
  positions: Float64Array
  triangles: Uint32Array
  /** Group and material of each facet as one number: a border between two is kept. */
  region: Uint32Array
  /** Unit normals; that of a sliver is its neighbour's. */
  normals: Float64Array
  /** The surface is on one side of these planes and goes on with its mirror images: an edge of one facet in one is no border. */
  mirrors: Plane[]
  /** What was taken off the positions [m]. */
  centre: [number, number, number]
}

/** Positions are rounded to this part of a wavelength: rounding errors of a far place disappear. */
export const QUANTUM = 2 ** -34

/** @param wavelength  [m] */
export function inputSurface(target: Target, wavelength: number): InputSurface {
  const { positions: p, triangles: tri, box } = target
  const centre = [0, 1, 2].map((c) => (box.min[c] + box.max[c]) / 2) as [number, number, number]
  const count = p.length / 3
  const all = new Float64Array(p.length)
  for (let i = 0; i < p.length; i++)
    all[i] = Math.round((p[i] - centre[i % 3]) / wavelength / QUANTUM) * QUANTUM
  const byPlace = Uint32Array.from({ length: count }, (_, v) => v).sort(
    (a, b) => all[3 * a] - all[3 * b] || all[3 * a + 1] - all[3 * b + 1] || all[3 * a + 2] - all[3 * b + 2],
  )
  const number = new Uint32Array(count)
  const positions = new Float64Array(p.length)
  for (let v = 0; v < count; v++) {
    number[byPlace[v]] = v
    for (let c = 0; c < 3; c++) positions[3 * v + c] = all[3 * byPlace[v] + c]
  }
  const facets = tri.length / 3
  /** Each facet from its lowest vertex on, its orientation kept. */
  const first = new Uint32Array(tri.length)
  for (let t = 0; t < facets; t++) {
    const v = [number[tri[3 * t]], number[tri[3 * t + 1]], number[tri[3 * t + 2]]]
    const low = v.indexOf(Math.min(...v))
    for (let i = 0; i < 3; i++) first[3 * t + i] = v[(low + i) % 3]
  }
  const facetOf = Uint32Array.from({ length: facets }, (_, t) => t).sort(
    (a, b) =>
      first[3 * a] - first[3 * b] ||
      first[3 * a + 1] - first[3 * b + 1] ||
      first[3 * a + 2] - first[3 * b + 2],
  )
  const triangles = new Uint32Array(tri.length)
  const region = new Uint32Array(facets)
  const normals = new Float64Array(tri.length)
  const materials = target.materials.length
  for (let t = 0; t < facets; t++) {
    const from = facetOf[t]
    region[t] = (target.facetGroup?.[from] ?? 0) * materials + (target.facetMaterial?.[from] ?? 0)
    for (let i = 0; i < 3; i++) {
      triangles[3 * t + i] = first[3 * from + i]
      normals[3 * t + i] = target.normals[3 * from + i]
    }
  }
  return { positions, triangles, region, normals, mirrors: [], centre }
}

/** Distance of a vertex from a plane, positive on the side of its normal. */
export const distanceOf = (positions: ArrayLike<number>, v: number, [x, y, z, d]: Plane): number =>
  x * positions[3 * v] + y * positions[3 * v + 1] + z * positions[3 * v + 2] - d

/** Distance from a plane up to which a vertex of a cut surface is in it [wavelengths]. */
const IN_PLANE = 1e-9

export const isInPlane = (positions: ArrayLike<number>, v: number, plane: Plane): boolean =>
  Math.abs(distanceOf(positions, v, plane)) < IN_PLANE

/** The tip of a cone, within a patch. */
export interface Tip {
  vertex: number
  patch: number
}

/** Angles missing from the full circle about the tip of a cone [rad]. */
const TIP_DEFECT = 0.5

/**
 * Vertices within a patch about which the angles of the facets do not add up to a circle: marks them as corners, and gives the tips.
 * @param within  1 for vertices within a patch or where it crosses a plane of symmetry
 */
export function findTips(
  { positions: p, triangles: tri, mirrors }: InputSurface,
  patch: Uint32Array,
  kind: Uint8Array,
  within: Uint8Array,
): Tip[] {
  const angle = new Float64Array(kind.length)
  const patchAt = new Uint32Array(kind.length)
  for (let i = 0; i < tri.length; i++) {
    const t = i - (i % 3)
    const v = 3 * tri[i]
    const a = 3 * tri[t + ((i + 1) % 3)]
    const b = 3 * tri[t + ((i + 2) % 3)]
    const u = [0, 1, 2].map((c) => p[a + c] - p[v + c])
    const w = [0, 1, 2].map((c) => p[b + c] - p[v + c])
    const cross = Math.hypot(u[1] * w[2] - u[2] * w[1], u[2] * w[0] - u[0] * w[2], u[0] * w[1] - u[1] * w[0])
    angle[tri[i]] += Math.atan2(cross, u[0] * w[0] + u[1] * w[1] + u[2] * w[2])
    patchAt[tri[i]] = patch[(i / 3) | 0]
  }
  const tips: Tip[] = []
  for (let v = 0; v < kind.length; v++) {
    if (within[v] === 0) continue
    const whole = angle[v] * 2 ** mirrors.filter((plane) => isInPlane(p, v, plane)).length
    if (Math.abs(2 * Math.PI - whole) > TIP_DEFECT) {
      kind[v] = 2
      if (whole < 2 * Math.PI) tips.push({ vertex: v, patch: patchAt[v] })
    }
  }
  return tips
}

/** The plane of each patch whose vertices are all within the tolerance of it. */
export function findPlanes(
  { positions: p, triangles: tri, normals }: InputSurface,
  patch: Uint32Array,
  count: number,
  tolerance: number,
): (Plane | undefined)[] {
  const sum = new Float64Array(4 * count)
  const origin = new Float64Array(3 * count)
  const seen = new Uint8Array(count)
  for (let t = 0; t < patch.length; t++) {
    const k = patch[t]
    const [a, b, c] = [tri[3 * t], tri[3 * t + 1], tri[3 * t + 2]].map((v) => 3 * v)
    const u = [0, 1, 2].map((i) => p[b + i] - p[a + i])
    const w = [0, 1, 2].map((i) => p[c + i] - p[a + i])
    const cross = [u[1] * w[2] - u[2] * w[1], u[2] * w[0] - u[0] * w[2], u[0] * w[1] - u[1] * w[0]]
    for (let i = 0; i < 3; i++) sum[4 * k + i] += cross[i]
    // Offsets are taken from the patch's own first vertex.
    if (seen[k] === 0) for (let i = 0; i < 3; i++) origin[3 * k + i] = p[a + i]
    seen[k] = 1
  }
  const planes: (Plane | undefined)[] = []
  for (let k = 0; k < count; k++) {
    const norm = Math.hypot(sum[4 * k], sum[4 * k + 1], sum[4 * k + 2])
    const n = [0, 1, 2].map((i) => sum[4 * k + i] / norm)
    planes.push(
      norm > 0
        ? [n[0], n[1], n[2], n[0] * origin[3 * k] + n[1] * origin[3 * k + 1] + n[2] * origin[3 * k + 2]]
        : undefined,
    )
  }
  const low = new Float64Array(count).fill(Infinity)
  const high = new Float64Array(count).fill(-Infinity)
  for (let i = 0; i < tri.length; i++) {
    const k = patch[(i / 3) | 0]
    const plane = planes[k]
    if (!plane) continue
    const t = 3 * ((i / 3) | 0)
    if (normals[t] * plane[0] + normals[t + 1] * plane[1] + normals[t + 2] * plane[2] < 0.5)
      planes[k] = undefined
    const v = 3 * tri[i]
    const d = plane[0] * p[v] + plane[1] * p[v + 1] + plane[2] * p[v + 2] - plane[3]
    if (d < low[k]) low[k] = d
    if (d > high[k]) high[k] = d
  }
  for (let k = 0; k < count; k++) {
    const plane = planes[k]
    if (!plane) continue
    if (high[k] - low[k] > 2 * tolerance) planes[k] = undefined
    else plane[3] += (low[k] + high[k]) / 2
  }
  return planes
}
