import { cross, dot, type Direction, type Vec3 } from '../scene/direction.js'
import type { RayScene } from './ray-scene.js'

/** Ray tubes along one side of a tile; tiles are the blocks whose sums never depend on how the aperture is split. */
export const TILE = 16
/** Rotation of the grid against theta-hat [rad]: keeps grid lines from running along edges (docs/theory.md, "Ray tubes"). */
const GRID_ROTATION = 0.3
/** Grid offset in cells along u and v: irrational, so that symmetric targets do not sit on grid lines. */
const GRID_OFFSET: [number, number] = [Math.SQRT2 - 1, (Math.sqrt(5) - 1) / 2]

/**
 * The virtual aperture of one incidence: a square lattice of ray tubes on a plane in front of the target,
 * perpendicular to the incident direction. Lattice point (i, j) lies at base + (i + offset u) h u + (j + offset v) h v,
 * in the coordinates of the RayScene; the lattice is anchored to the scene's origin, never to the box of the
 * projection, so that any part of it can be computed alone. It spans tiles [tileI0, tileI0 + tilesI) x [tileJ0, ...).
 */
export interface Aperture {
  /** Direction of incidence (from the radar), unit. */
  d: Vec3
  /** Unit axes of the lattice; u x v = -d. */
  u: Vec3
  v: Vec3
  /** Point of the plane that the lattice offset counts from: -d * standoff [m]. */
  base: Vec3
  /** Side of a tube [m]. */
  h: number
  offset: [number, number]
  tileI0: number
  tileJ0: number
  tilesI: number
  tilesJ: number
}

/**
 * Fits the lattice of tubes of side h [m] to the target's projection along the incidence from `tx`, in whole tiles.
 */
export function fitAperture(scene: RayScene, tx: Direction, h: number): Aperture {
  const c = Math.cos(GRID_ROTATION)
  const s = Math.sin(GRID_ROTATION)
  const { r, thetaHat, phiHat } = tx
  // Written out: arrays from `map` change their kind when it is compiled, and the code of whoever reads them is then made again.
  const u: Vec3 = [
    c * phiHat[0] + s * thetaHat[0],
    c * phiHat[1] + s * thetaHat[1],
    c * phiHat[2] + s * thetaHat[2],
  ]
  const v = cross(r, u)
  const extent = new Float64Array(5)
  projectPoints(scene.points, u, v, r, extent)
  const [uMin, uMax, vMin, vMax, nearest] = extent
  /** The tile that holds x. */
  const tileOf = (x: number, offset: number): number => Math.floor((x / h - offset) / TILE)
  const [offsetU, offsetV] = GRID_OFFSET
  const tileI0 = tileOf(uMin, offsetU)
  const tileJ0 = tileOf(vMin, offsetV)
  const standoff = nearest + 1e-3 * scene.diagonal
  return {
    d: [-r[0], -r[1], -r[2]],
    u,
    v,
    base: [r[0] * standoff, r[1] * standoff, r[2] * standoff],
    h,
    offset: GRID_OFFSET,
    tileI0,
    tileJ0,
    tilesI: tileOf(uMax, offsetU) - tileI0 + 1,
    tilesJ: tileOf(vMax, offsetV) - tileJ0 + 1,
  }
}

/** Least and largest p . u and p . v, and largest p . r, over points p. */
function projectPoints(p: Float64Array, u: Vec3, v: Vec3, r: ArrayLike<number>, out: Float64Array): void {
  const [ux, uy, uz] = [u[0], u[1], u[2]]
  const [vx, vy, vz] = [v[0], v[1], v[2]]
  const [rx, ry, rz] = [r[0], r[1], r[2]]
  out[0] = out[2] = Infinity
  out[1] = out[3] = out[4] = -Infinity
  for (let i = 0; i < p.length; i += 3) {
    const pu = p[i] * ux + p[i + 1] * uy + p[i + 2] * uz
    const pv = p[i] * vx + p[i + 1] * vy + p[i + 2] * vz
    const pr = p[i] * rx + p[i + 1] * ry + p[i + 2] * rz
    if (pu < out[0]) out[0] = pu
    if (pu > out[1]) out[1] = pu
    if (pv < out[2]) out[2] = pv
    if (pv > out[3]) out[3] = pv
    if (pr > out[4]) out[4] = pr
  }
}

export const tubeCount = (aperture: Aperture): number => aperture.tilesI * aperture.tilesJ * TILE * TILE

/** A rectangle of tiles, in tile indices of the lattice. */
export interface TileRange {
  i0: number
  j0: number
  ni: number
  nj: number
}

export const wholeAperture = ({ tileI0, tileJ0, tilesI, tilesJ }: Aperture): TileRange => ({
  i0: tileI0,
  j0: tileJ0,
  ni: tilesI,
  nj: tilesJ,
})

/**
 * Cuts the aperture, or some of its tiles, into sub-grids of at most `side` tubes along each side (snapped to whole
 * tiles, at least one), row by row.
 */
export function subGrids(aperture: Aperture, side: number, tiles = wholeAperture(aperture)): TileRange[] {
  const step = Math.max(1, Math.floor(side / TILE))
  const parts: TileRange[] = []
  for (let j = 0; j < tiles.nj; j += step)
    for (let i = 0; i < tiles.ni; i += step)
      parts.push({
        i0: tiles.i0 + i,
        j0: tiles.j0 + j,
        ni: Math.min(step, tiles.ni - i),
        nj: Math.min(step, tiles.nj - j),
      })
  return parts
}

/** Extent of the target along a direction: [min, max] of p . axis over its vertices [m], about the mesh's own origin. */
export function extentAlong(scene: RayScene, axis: Vec3): [number, number] {
  let min = Infinity
  let max = -Infinity
  const p = scene.points
  for (let i = 0; i < p.length; i += 3) {
    const x = p[i] * axis[0] + p[i + 1] * axis[1] + p[i + 2] * axis[2]
    if (x < min) min = x
    if (x > max) max = x
  }
  const shift = dot(scene.origin, axis)
  return [min + shift, max + shift]
}
