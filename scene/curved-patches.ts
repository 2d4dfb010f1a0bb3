import type { Vec3 } from './direction.js'
import { next, vertexNormals, type VertexNormals } from './curved-normals.js'
import type { Mesh } from './mesh.js'

/** Two surfaces that meet at less than this [rad] do not determine the direction of their crease. */
const LEAST_CREASE = 0.1

/** Cubic curves over the edges of a mesh and the cubic patches between them. */
export interface Patches extends Pick<VertexNormals, 'table' | 'edgeOf' | 'smooth'> {
  /** 6 numbers per edge: the inner control points of its cubic [m], that beside the lower vertex first. */
  control: Float64Array
}

/**
 * Cubic curves over the edges of a cleaned mesh. The tangent at a vertex lies in the surface's tangent plane (across a smooth
 * edge or a rim), or in both surfaces' tangent planes (at a crease, so that the curve follows it); where one end has none,
 * its tangent is the mirror image of the other's. Handle lengths are those of the circular arc with this tangent and chord.
 */
export function edgeCurves(mesh: Mesh, angleDeg: number): Patches {
  const surface = vertexNormals(mesh, angleDeg)
  const { table, edgeOf, smooth } = surface
  const control = new Float64Array(6 * table.count)
  for (let e = 0; e < table.count; e++) {
    const half = table.half.subarray(table.start[e], table.start[e + 1])
    const [a, b] = [pointOf(mesh, table.low[e]), pointOf(mesh, table.high[e])]
    const chord = minus(b, a)
    const fansAt = (vertex: number): number[] => [
      ...new Set(Array.from(half, (h) => surface.fan[mesh.triangles[h] === vertex ? h : next(h)])),
    ]
    // Both tangents point from low to high.
    let start = tangent(surface.normals, fansAt(table.low[e]), chord, angleDeg)
    let end = tangent(surface.normals, fansAt(table.high[e]), chord, angleDeg)
    start ??= end && mirrored(end, chord)
    end ??= start && mirrored(start, chord)
    const length = Math.hypot(...chord)
    for (let i = 0; i < 3; i++) {
      control[6 * e + i] = a[i] + (start ? handle(start, chord, length)[i] : chord[i] / 3)
      control[6 * e + 3 + i] = b[i] - (end ? handle(end, chord, length)[i] : chord[i] / 3)
    }
  }
  return { table, edgeOf, smooth, control }
}

/** Replaces the curve over an edge by its chord. */
export function straighten(mesh: Mesh, { table, control }: Patches, e: number): void {
  const a = pointOf(mesh, table.low[e])
  const chord = minus(pointOf(mesh, table.high[e]), a)
  for (let i = 0; i < 3; i++) {
    control[6 * e + i] = a[i] + chord[i] / 3
    control[6 * e + 3 + i] = a[i] + (2 * chord[i]) / 3
  }
}

/**
 * Point of facet t's patch at barycentric coordinates (1 - v - w, v, w): the cubic triangle of Vlachos, Peters, Boyd and
 * Mitchell (Curved PN triangles, ACM I3D 2001, 159-166), its middle control point from the outer ones as there.
 */
export function patchPoint(mesh: Mesh, patches: Patches, t: number, v: number, w: number): Vec3 {
  const { table, edgeOf, control } = patches
  const { positions: p, triangles: tri } = mesh
  const u = 1 - v - w
  const b = [u, v, w]
  const point: Vec3 = [0, 0, 0]
  for (let a = 0; a < 3; a++) {
    let outer = 0
    let corners = 0
    for (let i = 0; i < 3; i++) {
      const j = (i + 1) % 3
      const e = edgeOf[3 * t + i]
      const forward = tri[3 * t + i] === table.low[e] ? 0 : 3
      const near = control[6 * e + forward + a]
      const far = control[6 * e + 3 - forward + a]
      const corner = p[3 * tri[3 * t + i] + a]
      point[a] += corner * b[i] ** 3 + 3 * b[i] * b[j] * (near * b[i] + far * b[j])
      outer += near + far
      corners += corner
    }
    // E + (E - V) / 2 of the paper's section 3.
    point[a] += 6 * u * v * w * (outer / 4 - corners / 6)
  }
  return point
}

/** Unit tangent at a vertex of the curve with this chord, oriented along the chord; null where the fans determine none. */
function tangent(normals: Float64Array, fans: number[], chord: Vec3, angleDeg: number): Vec3 | null {
  const n = fans.map((f): Vec3 => [normals[3 * f], normals[3 * f + 1], normals[3 * f + 2]])
  if (n.length > 2 || n.some((x) => x[0] === 0 && x[1] === 0 && x[2] === 0)) return null
  let along: Vec3
  if (n.length === 2) {
    const [x, y] = n
    const line: Vec3 = [x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]]
    if (Math.hypot(...line) < Math.sin(LEAST_CREASE)) return null
    along = scaled(line, inner(line, chord) < 0 ? -1 : 1)
  } else along = minus(chord, scaled(n[0], inner(n[0], chord)))
  const length = Math.hypot(...along)
  // A tangent farther from the chord than a smooth edge allows is implausible.
  const cosine = inner(along, chord) / (length * Math.hypot(...chord))
  return cosine > Math.cos((angleDeg * Math.PI) / 180) ? scaled(along, 1 / length) : null
}

/** The tangent at the other end of a symmetric curve. */
const mirrored = (t: Vec3, chord: Vec3): Vec3 =>
  minus(scaled(chord, (2 * inner(t, chord)) / inner(chord, chord)), t)

/** Distance from an end of a circular arc with this tangent and chord to its cubic's inner control point: 4/3 R tan(arc / 4). */
function handle(t: Vec3, chord: Vec3, length: number): Vec3 {
  return scaled(t, (2 * length) / (3 * (1 + inner(t, chord) / length)))
}

const pointOf = ({ positions: p }: Mesh, v: number): Vec3 => [p[3 * v], p[3 * v + 1], p[3 * v + 2]]
const minus = (a: Vec3, b: Vec3): Vec3 => [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
const scaled = (a: Vec3, s: number): Vec3 => [a[0] * s, a[1] * s, a[2] * s]
const inner = (a: Vec3, b: Vec3): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
