import { dot, edgeTable, type Vec3 } from '../../scene/index.js'
import { edgeKey, findFeatures, reflected } from './features.js'
import { distanceOf, type InputSurface, type Plane, QUANTUM } from './input-surface.js'

/**
 * Perpendicular planes in which a surface is its own mirror image, none of its facets in them; a surface whose vertices or kept edges have
 * images `tolerance` off the others has none. Diagonals within patches may differ: they are within the chord. Planes are normal to an axis
 * or to a principal axis of the vertices.
 * @param size, chord  as of `findFeatures`
 */
export function findMirrors(surface: InputSurface, size: number, chord: number, tolerance: number): Plane[] {
  const { positions: p, triangles: tri } = surface
  const { kind, lineOf } = findFeatures(surface, size, chord, tolerance)
  const table = edgeTable({ positions: p, triangles: tri })
  /** Facets at each kept edge. */
  const kept = new Map<number, number>()
  for (let e = 0; e < table.count; e++) {
    const key = edgeKey(table.low[e], table.high[e])
    if (lineOf.has(key)) kept.set(key, table.start[e + 1] - table.start[e])
  }
  const nearest = finder(p, tolerance)
  const normals: Vec3[] = []
  const planes: Plane[] = []
  for (const axis of [...AXES, ...principalAxes(p)]) {
    const n = across(axis, normals)
    if (!n) continue
    let [low, high] = [Infinity, -Infinity]
    for (let v = 0; v < kind.length; v++) {
      const d = distanceOf(p, v, [...n, 0])
      low = Math.min(low, d)
      high = Math.max(high, d)
    }
    const plane: Plane = [...n, (low + high) / 2]
    const image = new Int32Array(kind.length)
    const isImage = (v: number): boolean => (image[v] = nearest(reflected(p, v, plane))) >= 0
    if (!image.every((_, v) => isImage(v)) || new Set(image).size < image.length) continue
    if (![...kept].every(([key, facets]) => kept.get(imageOf(key, image)) === facets)) continue
    const inside = Uint8Array.from(image, (_, v) => (Math.abs(distanceOf(p, v, plane)) <= tolerance ? 1 : 0))
    let lies = false
    for (let i = 0; i < tri.length; i += 3)
      lies ||= inside[tri[i]] + inside[tri[i + 1]] + inside[tri[i + 2]] === 3
    if (lies) continue
    normals.push(n)
    planes.push(plane)
  }
  return planes
}

const AXES: Vec3[] = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
]

/** The part of a vector normal to others, of length 1; null where little is left. */
function across(v: Vec3, others: Vec3[]): Vec3 | null {
  const out: Vec3 = [...v]
  for (const n of others) {
    const d = dot(out, n)
    for (let a = 0; a < 3; a++) out[a] -= d * n[a]
  }
  const size = Math.hypot(...out)
  return size > 0.7 ? (out.map((x) => x / size) as Vec3) : null
}

/** The image of an edge, by vertices' images. */
const imageOf = (key: number, image: Int32Array): number =>
  edgeKey(image[Math.floor(key / 2 ** 26)], image[key % 2 ** 26])

/** Finds the vertex nearest to a point; -1 where none is within the tolerance. */
function finder(p: Float64Array, tolerance: number): (x: Vec3) => number {
  const cell = 4 * tolerance
  const cells = new Map<string, number[]>()
  for (let v = 0; v < p.length / 3; v++) {
    const key = [0, 1, 2].map((a) => Math.floor(p[3 * v + a] / cell)).join()
    const there = cells.get(key)
    if (there) there.push(v)
    else cells.set(key, [v])
  }
  return (x) => {
    let [best, least] = [-1, tolerance]
    const seen = new Set<string>()
    for (let corner = 0; corner < 8; corner++) {
      const key = x
        .map((c, a) => Math.floor((c + ((corner >> a) & 1 ? tolerance : -tolerance)) / cell))
        .join()
      if (seen.has(key)) continue
      seen.add(key)
      for (const v of cells.get(key) ?? []) {
        const far = Math.hypot(p[3 * v] - x[0], p[3 * v + 1] - x[1], p[3 * v + 2] - x[2])
        if (far <= least) [best, least] = [v, far]
      }
    }
    return best
  }
}

/** Directions of greatest, middle and least spread of points, by Jacobi's rotations. */
function principalAxes(p: Float64Array): Vec3[] {
  const count = p.length / 3
  const mean = [0, 0, 0]
  for (let i = 0; i < p.length; i++) mean[i % 3] += p[i] / count
  const m = [0, 1, 2].map((a) =>
    [0, 1, 2].map((b) => {
      let sum = 0
      for (let i = 0; i < p.length; i += 3) sum += (p[i + a] - mean[a]) * (p[i + b] - mean[b])
      return sum
    }),
  )
  const axes = AXES.map((axis): Vec3 => [...axis])
  for (let sweep = 0; sweep < 12; sweep++)
    for (const [a, b] of [
      [0, 1],
      [0, 2],
      [1, 2],
    ]) {
      if (m[a][b] === 0) continue
      const angle = Math.atan2(2 * m[a][b], m[b][b] - m[a][a]) / 2
      const [c, s] = [Math.cos(angle), Math.sin(angle)]
      for (const row of m) [row[a], row[b]] = [c * row[a] - s * row[b], s * row[a] + c * row[b]]
      ;[m[a], m[b]] = [m[a].map((x, i) => c * x - s * m[b][i]), m[b].map((x, i) => s * m[a][i] + c * x)]
      ;[axes[a], axes[b]] = [
        axes[a].map((x, i) => c * x - s * axes[b][i]) as Vec3,
        axes[b].map((x, i) => s * axes[a][i] + c * x) as Vec3,
      ]
    }
  return axes
}

/** The part of a surface on the side of a plane's normal; vertices within the tolerance are moved into the plane. */
export function cutAt(surface: InputSurface, plane: Plane, tolerance: number): InputSurface {
  const { positions: p, triangles: tri } = surface
  const positions = Array.from(p)
  const side = Float64Array.from({ length: p.length / 3 }, (_, v) => {
    const d = distanceOf(p, v, plane)
    return Math.abs(d) <= tolerance ? 0 : d
  })
  side.forEach((d, v) => {
    if (d === 0) moveInto(positions, v, plane)
  })
  const made = new Map<number, number>()
  /** Where an edge crosses the plane. */
  const crossing = (a: number, b: number): number => {
    const key = edgeKey(a, b)
    let v = made.get(key)
    if (v !== undefined) return v
    const [low, high] = a < b ? [a, b] : [b, a]
    const u = side[low] / (side[low] - side[high])
    v = positions.length / 3
    for (let c = 0; c < 3; c++) positions.push(p[3 * low + c] + u * (p[3 * high + c] - p[3 * low + c]))
    moveInto(positions, v, plane)
    made.set(key, v)
    return v
  }
  const triangles: number[] = []
  const from: number[] = []
  for (let t = 0; t < tri.length / 3; t++) {
    const polygon: number[] = []
    for (let i = 0; i < 3; i++) {
      const [a, b] = [tri[3 * t + i], tri[3 * t + ((i + 1) % 3)]]
      if (side[a] >= 0) polygon.push(a)
      if (side[a] * side[b] < 0) polygon.push(crossing(a, b))
    }
    if (!polygon.some((v) => side[v] > 0)) continue
    for (let i = 2; i < polygon.length; i++) {
      triangles.push(polygon[0], polygon[i - 1], polygon[i])
      from.push(t)
    }
  }
  // By place: how facets were divided does not matter.
  const place = (v: number, a: number): number => Math.round(positions[3 * v + a] / QUANTUM)
  const used = [...new Set(triangles)].sort(
    (v, w) => place(v, 0) - place(w, 0) || place(v, 1) - place(w, 1) || place(v, 2) - place(w, 2),
  )
  const number = new Map(used.map((v, i) => [v, i]))
  return {
    positions: Float64Array.from(used.flatMap((v) => positions.slice(3 * v, 3 * v + 3))),
    triangles: Uint32Array.from(triangles, (v) => number.get(v)!),
    region: Uint32Array.from(from, (t) => surface.region[t]),
    normals: Float64Array.from(from.flatMap((t) => [...surface.normals.subarray(3 * t, 3 * t + 3)])),
    centre: surface.centre,
    mirrors: [...surface.mirrors, plane],
  }
}

function moveInto(positions: number[], v: number, plane: Plane): void {
  const d = distanceOf(positions, v, plane)
  for (let a = 0; a < 3; a++) positions[3 * v + a] -= d * plane[a]
}
