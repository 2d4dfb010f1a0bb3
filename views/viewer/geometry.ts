import { C0, direction, type Direction, dot, rotation, type Vec3 } from '../../scene/index.js'
import { type ImageGridData, shown } from '../figures/index.js'
import type { MovingData, SceneData, TargetData } from './data.js'
import { Box3, Vector3 } from 'three'

/** A resolution cell of an image, and the image's aspect. */
export interface Cell {
  rangeM: number
  crossRangeM: number
  /** Sides [m]. */
  dr: number
  dc: number
  aspect: Direction
  phaseCentre: Vec3
}

/** The aspect of an image; in its basis phi-hat is cross-range and theta-hat the other way than the normal of its plane. */
export function aspectOf({ thetaDeg, phiDeg, plane }: ImageGridData): Direction {
  if (!plane) return direction(thetaDeg, phiDeg)
  const thetaHat = plane.normal.map((x) => -x) as Vec3
  return { thetaDeg, phiDeg, r: plane.towardsRadar, thetaHat, phiHat: plane.crossRange }
}

export const cellAt = (image: ImageGridData, rangeM: number, crossRangeM: number): Cell => ({
  rangeM,
  crossRangeM,
  dr: image.rangeResolutionM,
  dc: image.crossRangeResolutionM,
  aspect: aspectOf(image),
  phaseCentre: image.phaseCentre,
})

/** Cross-range and range of a point in the image [m]. */
export function projected(p: ArrayLike<number>, at: number, { aspect, phaseCentre }: Cell): [number, number] {
  const r: Vec3 = [p[at] - phaseCentre[0], p[at + 1] - phaseCentre[1], p[at + 2] - phaseCentre[2]]
  return [dot(r, aspect.phiHat), -dot(r, aspect.r)]
}

type Point = [number, number]

/** Whether a convex polygon (or segment) meets the cell, by separating axes. */
function meets(corners: Point[], { rangeM, crossRangeM, dr, dc }: Cell): boolean {
  const box: Point[] = [-1, 1].flatMap((i) =>
    [-1, 1].map((j): Point => [crossRangeM + (i * dc) / 2, rangeM + (j * dr) / 2]),
  )
  const axes: Point[] = [[1, 0], [0, 1]] // prettier-ignore
  for (let i = 0; i < corners.length; i++) {
    const [a, b] = [corners[i], corners[(i + 1) % corners.length]]
    axes.push([b[1] - a[1], a[0] - b[0]])
  }
  const apart = ([x, y]: Point): boolean => {
    const of = (points: Point[]): number[] => points.map((p) => p[0] * x + p[1] * y)
    const [p, q] = [of(corners), of(box)]
    return Math.max(...p) < Math.min(...q) || Math.max(...q) < Math.min(...p)
  }
  return !axes.some(apart)
}

/** Facets facing the radar whose range and cross-range meet the cell, without regard to occlusion. */
export function facetsInCell({ positions, triangles }: TargetData, cell: Cell): number[] {
  const found: number[] = []
  for (let t = 0; 3 * t < triangles.length; t++) {
    const [a, b, c] = [0, 1, 2].map((i) => projected(positions, 3 * triangles[3 * t + i], cell))
    if (meets([a, b, c], cell) && facing(positions, triangles, t, cell.aspect.r)) found.push(t)
  }
  return found
}

export const facing = (p: Float64Array, triangles: Uint32Array, t: number, r: Vec3): boolean =>
  dot(normalOf(p, triangles, t), r) > 0

/** Outward normal of a facet, not of unit length. */
export function normalOf(p: Float64Array, triangles: Uint32Array, t: number): Vec3 {
  const [a, b, c] = [0, 1, 2].map((i) => 3 * triangles[3 * t + i])
  const u: Vec3 = [p[b] - p[a], p[b + 1] - p[a + 1], p[b + 2] - p[a + 2]]
  const v: Vec3 = [p[c] - p[a], p[c + 1] - p[a + 1], p[c + 2] - p[a + 2]]
  return [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
}

/** Edges that diffract and pass through the cell. */
export function edgesInCell({ edges }: TargetData, cell: Cell): number[] {
  const found: number[] = []
  for (let e = 0; 6 * e < edges.length; e++)
    if (meets([projected(edges, 6 * e, cell), projected(edges, 6 * e + 3, cell)], cell)) found.push(e)
  return found
}

/** Names of the groups whose facets meet at a diffracting edge, in the order of the mesh; none of a mesh without groups. */
export function groupsAtEdge(
  { edges, positions, triangles, facetGroup, groupNames }: TargetData,
  edge: number,
): string[] {
  if (!facetGroup || !groupNames) return []
  const at = 6 * edge
  const [x, y, z] = [0, 1, 2].map((c) => (edges[at + c] + edges[at + 3 + c]) / 2)
  const length = Math.hypot(
    edges[at + 3] - edges[at],
    edges[at + 4] - edges[at + 1],
    edges[at + 5] - edges[at + 2],
  )
  const found = new Set<number>()
  for (let i = 0; i < triangles.length; i++) {
    const [p, q] = [3 * triangles[i], 3 * triangles[i % 3 === 2 ? i - 2 : i + 1]]
    const [px, py, pz] = [positions[p], positions[p + 1], positions[p + 2]]
    const [qx, qy, qz] = [positions[q], positions[q + 1], positions[q + 2]]
    const around = Math.hypot(px - x, py - y, pz - z) + Math.hypot(qx - x, qy - y, qz - z)
    // The edge's middle lies on this side of the facet.
    if (around - Math.hypot(px - qx, py - qy, pz - qz) < 1e-9 * length)
      found.add(facetGroup[Math.floor(i / 3)])
  }
  return [...found].sort((a, b) => a - b).map((group) => groupNames[group])
}

/** A point of an image for the reader. */
export const placeIn = (
  { ground }: ImageGridData,
  { x, y }: { x: number; y: number },
  decimals: number,
): string => {
  const [across, along] = [shown(x, decimals), shown(y, decimals)]
  return ground ? `x ${across} m, y ${along} m` : `range ${along} m, cross-range ${across} m`
}

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

/** Room around the receivers, as a part of how far they reach. */
const AROUND = 0.1
/** A scene that is so many times longer than wide is shown from the transmitter's end, and so many widths of it. */
const LONG = 12
const PART = 7

/** What the views show: transmitter and receivers with the walls about them, of a tunnel the part at the transmitter, seen along it. */
export function framing(
  { positions, transmitterM }: Pick<SceneData, 'positions' | 'transmitterM'>,
  receiversM: ArrayLike<number>,
): { box: Box3; homeFrom: Vector3 | null } {
  const walls = new Box3().setFromArray(positions)
  const tx = new Vector3(...transmitterM)
  const receivers = new Box3().setFromArray(receiversM).expandByPoint(tx)
  const reach = Math.max(...receivers.getSize(new Vector3()))
  const box = receivers.clone().expandByScalar(AROUND * reach)
  // Buildings in their full height.
  if (walls.max.z - walls.min.z < reach) {
    box.min.z = walls.min.z
    box.max.z = walls.max.z
  }
  box.min.max(walls.min)
  box.max.min(walls.max)
  box.union(receivers)
  const size = box.getSize(new Vector3())
  const [wide, along] = (['x', 'y', 'z'] as const).toSorted((a, b) => size[a] - size[b]).slice(1)
  if (!(size[along] > LONG * size[wide])) return { box, homeFrom: null }
  const forwards = box.max[along] - tx[along] >= tx[along] - box.min[along] ? 1 : -1
  const ends = [tx[along] - forwards * size[wide], tx[along] + forwards * PART * size[wide]]
  box.min[along] = Math.max(box.min[along], Math.min(...ends))
  box.max[along] = Math.min(box.max[along], Math.max(...ends))
  const homeFrom = new Vector3(-0.5, -0.5, 0.45)
  homeFrom[along] = -forwards
  return { box, homeFrom }
}
