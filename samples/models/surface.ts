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
