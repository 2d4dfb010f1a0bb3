import { type Direction, direction, dot, type Vec3 } from '../../scene/index.js'
import { type ImageGridData, shown } from '../figures/index.js'
import type { TargetData } from './data.js'

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
