import { facetCount, type Mesh } from '../../scene/index.js'

/** x, y, z [m]. */
export type Point = [number, number, number]

/** Points closer than this become one vertex [m]. */
const WELD = 1e-6
/** Group of the facets that are in no other. */
const SKIN = 'skin'

/**
 * A triangle surface under construction: facets are added by their corners, equal corners become one vertex and
 * facets that collapse (two equal corners) are omitted, so a grid may have lines that meet. The facets' orientation
 * is arbitrary here: `orientOutward` sets it once the surface is complete.
 */
export class Surface {
  private readonly numbers = new Map<string, number>()
  private readonly points: Point[] = []
  private readonly corners: number[] = []
  /** Group of each facet, by its name's number. */
  private readonly facetGroup: number[] = []
  private readonly groupNames = [SKIN]
  private current = 0

  /** What `add` adds belongs to a group; all else to SKIN. */
  inGroup(name: string, add: () => void): void {
    const before = this.current
    const known = this.groupNames.indexOf(name)
    this.current = known < 0 ? this.groupNames.push(name) - 1 : known
    add()
    this.current = before
  }

  private vertex(p: Point): number {
    const key = p.map((c) => Math.round(c / WELD)).join(' ')
    const known = this.numbers.get(key)
    if (known !== undefined) return known
    this.numbers.set(key, this.points.length)
    this.points.push(p)
    return this.points.length - 1
  }

  triangle(a: Point, b: Point, c: Point): void {
    const [i, j, k] = [this.vertex(a), this.vertex(b), this.vertex(c)]
    if (i === j || j === k || k === i) return
    this.corners.push(i, j, k)
    this.facetGroup.push(this.current)
  }

  /** Two facets, split along the shorter diagonal; along a to c where both are equal up to rounding. */
  quad(a: Point, b: Point, c: Point, d: Point): void {
    if (distance(a, c) <= distance(b, d) + 1e-9) {
      this.triangle(a, b, c)
      this.triangle(a, c, d)
    } else {
      this.triangle(a, b, d)
      this.triangle(b, c, d)
    }
  }

  /** Quads between two lines of equally many points; `closed` joins the last point to the first. */
  strip(from: Point[], to: Point[], closed = false): void {
    const n = from.length
    for (let k = 0; k < (closed ? n : n - 1); k++)
      this.quad(from[k], from[(k + 1) % n], to[(k + 1) % n], to[k])
  }

  /** Strips between consecutive lines. */
  loft(lines: Point[][], closed = false): void {
    for (let i = 1; i < lines.length; i++) this.strip(lines[i - 1], lines[i], closed)
  }

  /** Cap of a line or loop: `rings` concentric rings that shrink to `centre`. */
  cap(loop: Point[], centre: Point, rings: number, closed = false): void {
    const lines = Array.from({ length: rings + 1 }, (_, r) => loop.map((p) => mix(p, centre, r / rings)))
    this.loft(lines, closed)
  }

  mesh(): Mesh {
    const { points, corners, facetGroup, groupNames } = this
    return {
      positions: Float64Array.from(points.flat()),
      triangles: Uint32Array.from(corners),
      ...(groupNames.length > 1 && { facetGroup: Uint32Array.from(facetGroup), groupNames }),
    }
  }
}

export const distance = (a: Point, b: Point): number => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2])

/** Point at fraction t of the way from a to b; exactly a at 0 and b at 1. */
export function mix(a: Point, b: Point, t: number): Point {
  if (t === 1) return b
  return [a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]), a[2] + t * (b[2] - a[2])]
}

/** Several meshes in one list of facets; their vertices are not merged. */
export function merge(meshes: Mesh[]): Mesh {
  const positions: number[] = []
  const triangles: number[] = []
  for (const mesh of meshes) {
    const first = positions.length / 3
    for (const v of mesh.triangles) triangles.push(first + v)
    for (const x of mesh.positions) positions.push(x)
  }
  return { positions: Float64Array.from(positions), triangles: Uint32Array.from(triangles) }
}

/** The mesh and its mirror image in y = 0, joined along the vertices that lie in that plane. */
export function mirrorY(half: Mesh): Mesh {
  const whole = [...half.positions]
  const image = Array.from({ length: half.positions.length / 3 }, (_, v) => {
    const [x, y, z] = half.positions.subarray(3 * v, 3 * v + 3)
    if (y === 0) return v
    whole.push(x, -y, z)
    return whole.length / 3 - 1
  })
  const triangles = [...half.triangles]
  for (let t = 0; t < half.triangles.length; t += 3) {
    const [a, b, c] = half.triangles.subarray(t, t + 3)
    triangles.push(image[a], image[c], image[b])
  }
  return {
    positions: Float64Array.from(whole),
    triangles: Uint32Array.from(triangles),
    ...(half.facetGroup && {
      facetGroup: Uint32Array.from([...half.facetGroup, ...half.facetGroup]),
      groupNames: half.groupNames,
    }),
  }
}

/** The mesh stretched along the axes to a bounding box of the given size [m], the box's centre at the origin. */
export function fitBox(mesh: Mesh, size: Point): Mesh {
  const positions = mesh.positions.slice()
  for (let axis = 0; axis < 3; axis++) {
    let [low, high] = [Infinity, -Infinity]
    for (let k = axis; k < positions.length; k += 3) {
      low = Math.min(low, positions[k])
      high = Math.max(high, positions[k])
    }
    for (let k = axis; k < positions.length; k += 3)
      positions[k] = ((positions[k] - low) / (high - low) - 0.5) * size[axis]
  }
  return { ...mesh, positions }
}

/**
 * OBJ text of a mesh with its groups as materials (`usemtl`). Coordinates are rounded to float32 and written whole, vertices in the
 * order in which facets use them: read again it is the same target as the binary STL of the mesh.
 * @param round  another rounding of coordinates
 */
export function writeObj(
  { positions, triangles, ...mesh }: Mesh,
  round: (x: number) => number = Math.fround,
): string {
  const numbers = new Map<number, number>()
  const vertices: string[] = []
  const faces: string[] = []
  let group = -1
  for (let t = 0; t < facetCount({ positions, triangles }); t++) {
    const of = mesh.facetGroup?.[t] ?? -1
    if (of !== group) faces.push(`usemtl ${mesh.groupNames![(group = of)]}`)
    const corners = Array.from(triangles.subarray(3 * t, 3 * t + 3), (v) => {
      if (!numbers.has(v)) {
        numbers.set(
          v,
          vertices.push(`v ${Array.from(positions.subarray(3 * v, 3 * v + 3), round).join(' ')}`),
        )
      }
      return numbers.get(v)!
    })
    faces.push(`f ${corners.join(' ')}`)
  }
  return [...vertices, ...faces, ''].join('\n')
}

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
