import { facetCount, type Mesh } from '../../scene/index.js'
import { distance, type Point } from './surface.js'

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
