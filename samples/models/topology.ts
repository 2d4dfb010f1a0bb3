import { facetCount, type Mesh } from '../../scene/index.js'
import { distance, type Point, Surface } from './surface.js'

/** Mean of the points of a loop. */
const centre = (loop: Point[]): Point => {
  const mean = [0, 1, 2].map((a) => loop.reduce((sum, p) => sum + p[a], 0) / loop.length)
  return [mean[0], mean[1], mean[2]]
}

/**
 * Closed body through loops of equally many points: walls between consecutive loops, the first and last loop capped from
 * their means. Two loops at one height make a step, a smaller loop below the one before it a recess.
 */
export function stack(loops: Point[][]): Mesh {
  const surface = new Surface()
  surface.loft(loops, true)
  for (const end of [loops[0], loops[loops.length - 1]]) surface.cap(end, centre(end), 1, true)
  return orientOutward(surface.mesh())
}

/** Octagonal outline at height z: x from aft to fore, half width w, corners cut back by c [m]. */
export function deck(z: number, aft: number, fore: number, w: number, c: number): Point[] {
  return [
    [fore, -w + c, z],
    [fore, w - c, z],
    [fore - c, w, z],
    [aft + c, w, z],
    [aft, w - c, z],
    [aft, -w + c, z],
    [aft + c, -w, z],
    [fore - c, -w, z],
  ]
}

/** Circle of n points about `at`, its axis along x, y or z (0, 1, 2). */
export function circle(at: Point, radius: number, axis: 0 | 1 | 2, n: number): Point[] {
  const [u, v] = [(axis + 1) % 3, (axis + 2) % 3]
  return Array.from({ length: n }, (_, k) => {
    const p: Point = [...at]
    p[u] += radius * Math.cos((2 * Math.PI * k) / n)
    p[v] += radius * Math.sin((2 * Math.PI * k) / n)
    return p
  })
}

/** Sphere on a post (radome): n meridians, n / 2 parallels; the post's foot is at height `foot`. */
export function radome(at: Point, radius: number, post: number, foot: number, n: number): Mesh {
  const parallels = Array.from({ length: n / 2 }, (_, k) => {
    // From where the post enters the sphere to near its top.
    const low = Math.asin(post / radius) - Math.PI
    const a = low + ((-0.06 - low) * k) / (n / 2 - 1)
    return circle([at[0], at[1], at[2] + radius * Math.cos(a)], radius * Math.abs(Math.sin(a)), 2, n)
  })
  return stack([circle([at[0], at[1], foot], post, 2, n), ...parallels])
}

const corner = (mesh: Mesh, v: number): Point => [
  mesh.positions[3 * v],
  mesh.positions[3 * v + 1],
  mesh.positions[3 * v + 2],
]

/** Facets at each edge, by the key "lower vertex, higher vertex". */
function edgeFacets(triangles: ArrayLike<number>): Map<string, number[]> {
  const edges = new Map<string, number[]>()
  for (let t = 0; t < triangles.length / 3; t++)
    for (let k = 0; k < 3; k++) {
      const [a, b] = [triangles[3 * t + k], triangles[3 * t + ((k + 1) % 3)]]
      const key = a < b ? `${a} ${b}` : `${b} ${a}`
      const list = edges.get(key)
      if (list) list.push(t)
      else edges.set(key, [t])
    }
  return edges
}

/** Six times the signed volume of the tetrahedra between the origin and the named facets. */
function volume6(mesh: Mesh, facets: number[]): number {
  let sum = 0
  for (const t of facets) {
    const [a, b, c] = [0, 1, 2].map((k) => corner(mesh, mesh.triangles[3 * t + k]))
    sum += a[0] * (b[1] * c[2] - b[2] * c[1])
    sum += a[1] * (b[2] * c[0] - b[0] * c[2])
    sum += a[2] * (b[0] * c[1] - b[1] * c[0])
  }
  return sum
}

/** The mesh with the facets of every closed shell oriented consistently outwards (positive volume). */
export function orientOutward(mesh: Mesh): Mesh {
  const triangles = mesh.triangles.slice()
  const edges = edgeFacets(triangles)
  const flip = (t: number) => {
    const keep = triangles[3 * t + 1]
    triangles[3 * t + 1] = triangles[3 * t + 2]
    triangles[3 * t + 2] = keep
  }
  const runs = (t: number, a: number, b: number) =>
    [0, 1, 2].some((k) => triangles[3 * t + k] === a && triangles[3 * t + ((k + 1) % 3)] === b)
  const oriented: Mesh = { ...mesh, triangles }
  const seen = new Uint8Array(facetCount(mesh))
  for (let start = 0; start < seen.length; start++) {
    if (seen[start]) continue
    seen[start] = 1
    const shell = [start]
    for (const t of shell)
      for (let k = 0; k < 3; k++) {
        const [a, b] = [triangles[3 * t + k], triangles[3 * t + ((k + 1) % 3)]]
        for (const u of edges.get(a < b ? `${a} ${b}` : `${b} ${a}`)!) {
          if (seen[u]) continue
          seen[u] = 1
          if (runs(u, a, b)) flip(u)
          shell.push(u)
        }
      }
    if (volume6(oriented, shell) < 0) shell.forEach(flip)
  }
  return oriented
}

/**
 * Bisects the longest edges until the mesh has exactly `facets` facets; the shape does not change and no vertex lies
 * inside an edge. An edge of two facets adds two, a boundary edge one.
 * @throws RangeError if the mesh has more facets already, or one facet is missing and there is no boundary edge.
 */
export function splitToCount(mesh: Mesh, facets: number): Mesh {
  const positions = [...mesh.positions]
  const triangles = [...mesh.triangles]
  const group = mesh.facetGroup && [...mesh.facetGroup]
  let wanting = facets - facetCount(mesh)
  if (wanting < 0)
    throw new RangeError(`splitToCount: ${facetCount(mesh)} facets already, ${facets} asked for`)
  while (wanting > 0) {
    const grown: Mesh = { positions: Float64Array.from(positions), triangles: Uint32Array.from(triangles) }
    const edges = [...edgeFacets(triangles)].map(([key, at]) => {
      const [a, b] = key.split(' ').map(Number)
      // Rounded, so that edges equal up to rounding keep their order on every machine.
      const length = Math.round(distance(corner(grown, a), corner(grown, b)) * 1e8)
      return { a, b, at, length }
    })
    edges.sort((e, f) => f.length - e.length)
    const touched = new Set<number>()
    const before = wanting
    // Only the longest third per pass, so that the halves of one edge compete with the next edges; for a last
    // single facet any boundary edge will do.
    const longest = wanting === 1 ? edges : edges.slice(0, Math.ceil(edges.length / 3))
    for (const { a, b, at } of longest) {
      if (at.length > wanting || at.some((t) => touched.has(t))) continue
      const middle = positions.length / 3
      const [p, q] = [corner(grown, a), corner(grown, b)]
      positions.push((p[0] + q[0]) / 2, (p[1] + q[1]) / 2, (p[2] + q[2]) / 2)
      for (const t of at) {
        touched.add(t)
        const old = triangles.slice(3 * t, 3 * t + 3)
        for (let k = 0; k < 3; k++) triangles[3 * t + k] = old[k] === b ? middle : old[k]
        triangles.push(...old.map((v) => (v === a ? middle : v)))
        group?.push(group[t])
      }
      wanting -= at.length
      if (wanting === 0) break
    }
    if (wanting === before) throw new RangeError(`splitToCount: no edge to bisect for ${wanting} more facets`)
  }
  return {
    positions: Float64Array.from(positions),
    triangles: Uint32Array.from(triangles),
    ...(group && { facetGroup: Uint32Array.from(group), groupNames: mesh.groupNames }),
  }
}
