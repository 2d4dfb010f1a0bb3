import { cross, dot, type Vec3 } from '../../scene/index.js'
import type { RayScene } from '../../rays/index.js'

/** Sines of angles between a face and its corners' normals below which the face is flat. */
const FLAT = 1e-4

/** Corners that lie in a line to this part of their distances give no change of the normal. */
const LINE = 1e-6

/** Pieces of a face at most, and how many times longer than wide one is at least: no simple ratio, which rounding would decide. */
const MOST_PIECES = 32
const LONG = 3.7

/** Least squares of the normals at a face's corners. */
export class LinearNormals {
  private vertices: Float64Array = new Float64Array(0)
  /** Facet's normal, and two directions in the face. */
  private readonly own: Vec3 = [0.5, 0.5, 0.5]
  private u: Vec3 = [0.5, 0.5, 0.5]
  private v: Vec3 = [0.5, 0.5, 0.5]
  /** Of the corners: position, normal and weight, seven numbers each. */
  private readonly corners: number[] = [0.5]
  /** Direction in which the face is longest. */
  readonly long: Vec3 = [0.5, 0.5, 0.5]
  /** The normal at `middle`, the corners' mean, and its changes with position, by rows. */
  private readonly middle: Vec3 = [0.5, 0.5, 0.5]
  private readonly normal: Vec3 = [0.5, 0.5, 0.5]
  readonly bend = new Float64Array(9)

  /** Begins the face of facet f. */
  begin({ vertices, normals }: RayScene, f: number): void {
    this.vertices = vertices
    for (let c = 0; c < 3; c++) this.own[c] = normals[4 * f + c]
    const { own } = this
    const least = own.map(Math.abs)
    const axis = least.indexOf(Math.min(...least))
    this.u = normalised(cross(own, [axis === 0 ? 1 : 0, axis === 1 ? 1 : 0, axis === 2 ? 1 : 0]))
    this.v = cross(own, this.u)
    this.corners.length = 0
  }

  /** Adds the normal at a corner, whose position begins at `at` of the scene's vertices. */
  addCorner(at: number, weight: number, x: number, y: number, z: number): void {
    const { vertices, corners } = this
    corners.push(vertices[at], vertices[at + 1], vertices[at + 2], x, y, z, weight)
  }

  /** Sets middle, normal and bend; false where the face is plane. */
  solve(): boolean {
    const { corners, u, v, own, middle, normal, bend } = this
    const mean = new Float64Array(7)
    for (let i = 0; i < corners.length; i++)
      mean[i % 7] += corners[i] * (i % 7 < 6 ? corners[i - (i % 7) + 6] : 1)
    for (let c = 0; c < 6; c++) mean[c] /= mean[6]
    let [uu, uv, vv] = [0, 0, 0]
    const byU: Vec3 = [0, 0, 0]
    const byV: Vec3 = [0, 0, 0]
    for (let i = 0; i < corners.length; i += 7) {
      const d: Vec3 = [corners[i] - mean[0], corners[i + 1] - mean[1], corners[i + 2] - mean[2]]
      const [du, dv, w] = [dot(d, u), dot(d, v), corners[i + 6]]
      uu += w * du * du
      uv += w * du * dv
      vv += w * dv * dv
      for (let c = 0; c < 3; c++) {
        byU[c] += w * du * (corners[i + 3 + c] - mean[3 + c])
        byV[c] += w * dv * (corners[i + 3 + c] - mean[3 + c])
      }
    }
    const det = uu * vv - uv * uv
    if (!(det > LINE * LINE * (uu + vv) ** 2)) return false
    const angle = Math.atan2(2 * uv, uu - vv) / 2
    for (let c = 0; c < 3; c++) {
      const alongU = (vv * byU[c] - uv * byV[c]) / det
      const alongV = (uu * byV[c] - uv * byU[c]) / det
      for (let d = 0; d < 3; d++) bend[3 * c + d] = alongU * u[d] + alongV * v[d]
      middle[c] = mean[c]
      normal[c] = mean[3 + c]
      this.long[c] = Math.cos(angle) * u[c] + Math.sin(angle) * v[c]
    }
    const n: Vec3 = [0.5, 0.5, 0.5]
    for (let i = 0; i < corners.length; i += 7) {
      this.normalAt(corners[i], corners[i + 1], corners[i + 2], n)
      if (1 - dot(n, own) > (FLAT * FLAT) / 2) return true
    }
    return false
  }

  /** Slabs across `long` that cut a long face into pieces: the first one's bound, their width [m] and how many. */
  slabs(): { least: number; step: number; pieces: number } {
    const { corners, long, own } = this
    const short = cross(own, long)
    const bounds = { first: Infinity, last: -Infinity, left: Infinity, right: -Infinity }
    for (let i = 0; i < corners.length; i += 7) {
      const p: Vec3 = [corners[i], corners[i + 1], corners[i + 2]]
      bounds.first = Math.min(bounds.first, dot(p, long))
      bounds.last = Math.max(bounds.last, dot(p, long))
      bounds.left = Math.min(bounds.left, dot(p, short))
      bounds.right = Math.max(bounds.right, dot(p, short))
    }
    const length = bounds.last - bounds.first
    const pieces = Math.max(
      1,
      Math.min(MOST_PIECES, Math.floor(length / (LONG * (bounds.right - bounds.left)))),
    )
    return { least: bounds.first, step: length / pieces, pieces }
  }

  /** Sets `out` to the unit normal at a point. */
  normalAt(x: number, y: number, z: number, out: Vec3): void {
    const { middle, normal, bend } = this
    for (let c = 0; c < 3; c++)
      out[c] = normal[c] + bendAt(bend, c, x - middle[0], y - middle[1], z - middle[2])
    const length = Math.hypot(out[0], out[1], out[2])
    for (let c = 0; c < 3; c++) out[c] /= length
  }
}

const bendAt = (bend: Float64Array, c: number, x: number, y: number, z: number): number =>
  bend[3 * c] * x + bend[3 * c + 1] * y + bend[3 * c + 2] * z

const normalised = (a: Vec3): Vec3 => {
  const length = Math.hypot(...a)
  return [a[0] / length, a[1] / length, a[2] / length]
}
