import { C0, direction, dot, rotation, type Vec3 } from '../../scene/index.js'
import type { MovingData } from './data.js'

/** Range away from the radar [m] and Doppler, positive of what approaches [Hz], of each facet's centroid. */
export interface Echoes {
  rangeM: Float64Array
  dopplerHz: Float64Array
}

type Matrix = ArrayLike<number>

/** Moves the facets of a target with turning parts. @param timeS  of its poses, uniform [s] */
export class Poses {
  private readonly facets: number

  /** @param centre  point that stays where it is on the page [m] */
  constructor(
    private readonly moving: MovingData,
    private readonly timeS: Float64Array,
    private readonly centre: Vec3,
  ) {
    this.facets = moving.facetPart.length
  }

  /** Rotations of the parts, in the target's axes. */
  private turned(column: number): number[][] {
    const time = this.timeS[column]
    return this.moving.parts.map(({ axis, rate, phaseDeg }) =>
      rotation(axis, 360 * ((rate * time) % 1) + phaseDeg),
    )
  }

  /** Corners of the facets at a column of the spectrogram, 9 numbers a facet [m], without the way that the target has gone. */
  corners(column: number, out: Float32Array): void {
    const { positions, triangles, facetPart, pose, parts } = this.moving
    const body = pose.subarray(12 * column, 12 * column + 12)
    const turned = this.turned(column)
    const point: Vec3 = [0, 0, 0]
    for (let i = 0; i < triangles.length; i++) {
      for (let c = 0; c < 3; c++) point[c] = positions[3 * triangles[i] + c]
      const part = facetPart[Math.floor(i / 3)]
      if (part > 0) turnAbout(point, turned[part - 1], parts[part - 1].pivot)
      for (let c = 0; c < 3; c++) point[c] -= this.centre[c]
      for (let c = 0; c < 3; c++)
        out[3 * i + c] =
          body[4 * c] * point[0] + body[4 * c + 1] * point[1] + body[4 * c + 2] * point[2] + this.centre[c]
    }
  }

  /** Where the facets' centroids are in range and Doppler at a column, whether they are seen or not. */
  echoes(column: number): Echoes {
    const { positions, triangles, facetPart, pose, parts, thetaDeg, phiDeg, freqHz } = this.moving
    const { r } = direction(thetaDeg, phiDeg)
    const body = pose.subarray(12 * column, 12 * column + 12)
    const [before, after] = [Math.max(0, column - 1), Math.min(this.timeS.length - 1, column + 1)]
    const step = this.timeS[after] - this.timeS[before] || 1
    const speed = Float64Array.from(
      { length: 12 },
      (_, i) => (pose[12 * after + i] - pose[12 * before + i]) / step,
    )
    const turned = this.turned(column)
    const rangeM = new Float64Array(this.facets)
    const dopplerHz = new Float64Array(this.facets)
    for (let t = 0; t < this.facets; t++) {
      const x: Vec3 = [0, 0, 0]
      for (let i = 0; i < 9; i++)
        x[i % 3] += positions[3 * triangles[3 * t + Math.floor(i / 3)] + (i % 3)] / 3
      const part = facetPart[t]
      let own: Vec3 = [0, 0, 0]
      if (part > 0) {
        const { axis, pivot, rate } = parts[part - 1]
        turnAbout(x, turned[part - 1], pivot)
        const [a, b, c] = [x[0] - pivot[0], x[1] - pivot[1], x[2] - pivot[2]]
        const w = 2 * Math.PI * rate
        own = [
          w * (axis[1] * c - axis[2] * b),
          w * (axis[2] * a - axis[0] * c),
          w * (axis[0] * b - axis[1] * a),
        ]
      }
      rangeM[t] = -dot(r, times(body, x, 1))
      const [u, v] = [times(speed, x, 1), times(body, own, 0)]
      dopplerHz[t] = (2 * freqHz * (dot(r, u) + dot(r, v))) / C0
    }
    return { rangeM, dopplerHz }
  }
}

/** A row-major 3 x 4 matrix times (x, w). */
const times = (m: Matrix, x: Vec3, w: number): Vec3 =>
  [0, 4, 8].map((i) => m[i] * x[0] + m[i + 1] * x[1] + m[i + 2] * x[2] + w * m[i + 3]) as Vec3

/** Turns a point about another, in place. */
function turnAbout(x: Vec3, m: Matrix, about: Vec3): void {
  const [a, b, c] = [x[0] - about[0], x[1] - about[1], x[2] - about[2]]
  for (let i = 0; i < 3; i++) x[i] = about[i] + m[3 * i] * a + m[3 * i + 1] * b + m[3 * i + 2] * c
}
