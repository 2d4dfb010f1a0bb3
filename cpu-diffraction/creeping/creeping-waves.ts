import { type Aspect, type Band, cross, dot, type Vec3 } from '../../scene/index.js'
import { RayCaster, type RayScene } from '../../rays/index.js'
import { boundsOf } from '../../scene/frequency-steps.js'
import type { Mechanism } from '../mechanisms.js'
import type { EdgeScenes } from '../job.js'
import { type PathSum, pathSum } from '../path-sum.js'
import { bendAlong, type CurvedFaces, findCurvedFaces } from './curved-faces.js'
import { fockFunctions, RANGE } from './fock.js'
import { SurfaceWaves } from './surface-waves.js'

/** Pieces of faces whose currents are summed as one, at least, and such units of a target, at most: enough for threads to share. */
const LEAST = 64
const UNITS = 32
/** The surface is where its bend at a point puts it at the shadow boundary, to within this part of the arc between them. */
const OFF_ARC = 0.3
/**
 * Waves from the other side of a body, which has to be round for them: they are weaker by 1/e where the surface there is off by so many times that,
 * or its normal by so much (1 - cosine). Chosen on a sphere, cone-sphere, cylinder and spheroid.
 */
const ROUND = 0.06
const TILT = 0.02
/** Least cosine of the angle between the normal there and the one expected. */
const ALIGNED = 0.8
/** Part of its amplitude that a wave may have left behind a surface that does not count. */
const NOTHING = 0.005
/** Decay per radian of the creeping wave that lasts longest (E across the surface), over (kR/2)^(1/3): the first zero of Ai' times cos 30 degrees. */
const DECAY = 1.01879 * Math.cos(Math.PI / 6)
/** Light this near to a surface's normal (sine) has no direction along it. */
const NORMAL = 1e-3
/**
 * Mean radius [m] of the largest surface with edges that counts at a wavenumber [rad/m]: once half around a cylinder of more,
 * exp(-DECAY pi (kR/2)^(1/3)) is below `NOTHING`, at kR = 14. What ends at edges before is theirs (decision 018).
 */
export const largestRadius = (k: number): number => (2 / k) * (Math.log(1 / NOTHING) / (DECAY * Math.PI)) ** 3

/** Those of a target in a band; null where no surface counts. */
export function creepingWaves(scenes: EdgeScenes, band: Band, exact: boolean): CreepingWaves | null {
  const curved = findCurvedFaces(scenes, largestRadius(boundsOf(band).lowest))
  return curved.most.length > 0 ? new CreepingWaves(scenes.rays, curved, band, exact) : null
}

/**
 * Currents near the shadow boundaries of smooth convex surfaces and waves that creep into their shadow, less what physical optics has there:
 *
 *   F_pq = -(jk/4 pi) int e_q . (eta J - eta J_PO) exp(jk (s_tx + s_rx) . r) dS
 *
 * with J of `SurfaceWaves`, over the faces of closed smooth regions, whose normals are interpolated: those without edges, and those small enough
 * for waves to get around (`largestRadius`). One object per thread.
 */
export class CreepingWaves implements Mechanism {
  /** Units of faces that are added. */
  readonly units: number
  private readonly unit: number
  private readonly caster: RayCaster
  private readonly paths: PathSum
  private readonly waves: SurfaceWaves
  private aspect: Aspect | null = null
  /** (k/2)^(1/3) at the lower bound of the frequencies (`boundsOf`). */
  private readonly lowest: number
  /** Of the face being added: its middle, the normal there, the direction in which light runs over it, and changes of the normal. */
  private readonly p: Vec3 = [0.5, 0.5, 0.5]
  private readonly n: Vec3 = [0.5, 0.5, 0.5]
  private readonly along: Vec3 = [0.5, 0.5, 0.5]
  private readonly bend: Vec3 = [0.5, 0.5, 0.5]
  private readonly sideways: Vec3 = [0.5, 0.5, 0.5]

  constructor(
    private readonly rays: RayScene,
    private readonly curved: CurvedFaces,
    band: Band,
    exact: boolean,
  ) {
    const { length } = curved.most
    this.unit = Math.max(LEAST, Math.ceil(length / UNITS))
    this.units = Math.ceil(length / this.unit)
    this.caster = new RayCaster(rays)
    // Fock functions vary faster than what edges answer.
    this.paths = pathSum(band, exact, 4)
    this.waves = new SurfaceWaves(this.paths, fockFunctions(), rays.origin)
    this.lowest = Math.cbrt(boundsOf(band).lowest / 2)
  }

  /** See `Mechanism`. */
  add(aspect: Aspect, unit: number, out: Float64Array): boolean {
    const faces = this.curved.most.length
    if (aspect !== this.aspect) this.waves.setAspect(aspect)
    this.aspect = aspect
    this.paths.reset()
    let added = false
    for (let face = this.unit * unit; face < Math.min(faces, this.unit * (unit + 1)); face++)
      added = this.addFace(face, aspect.tx.r) || added
    if (!added) return false
    out.fill(0)
    this.paths.finish(out)
    return true
  }

  /** Adds the currents of a face in light from r; false where it has none. */
  private addFace(face: number, r: Vec3): boolean {
    const { rays, curved, waves, lowest, p, n, along, bend, sideways } = this
    const { corners, normals, facets, start, middles, middleNormals } = curved
    let least = 1
    let greatest = -1
    for (let at = 9 * start[face]; at < 9 * start[face + 1]; at += 3) {
      const cosine = normals[at] * r[0] + normals[at + 1] * r[1] + normals[at + 2] * r[2]
      least = Math.min(least, cosine)
      greatest = Math.max(greatest, cosine)
    }
    // Too far in the light, were it bent as little as it is in any direction.
    if (-least * lowest < RANGE.lit * Math.cbrt(curved.most[face])) return false
    for (let c = 0; c < 3; c++) {
      p[c] = middles[3 * face + c]
      n[c] = middleNormals[3 * face + c]
    }
    const cosine = dot(n, r)
    for (let c = 0; c < 3; c++) along[c] = cosine * n[c] - r[c]
    const sine = Math.hypot(along[0], along[1], along[2])
    if (sine < NORMAL) return false
    for (let c = 0; c < 3; c++) along[c] /= sine
    bendAlong(curved, face, along, bend)
    const curvature = dot(along, bend)
    if (!(curvature > 0) || -least * lowest < RANGE.lit * Math.cbrt(curvature)) return false
    if (this.reachesShadow(r, 0) === 0) return false
    // All of it once the shadow boundary is as far away as the face is wide: no step where a corner comes into the light.
    const lit = Math.max(0, Math.min(1, least / (greatest - least)))
    const b = cross(along, n)
    bendAlong(curved, face, b, sideways)
    const across = dot(b, sideways)
    for (let c = 0; c < 3; c++) b[c] *= 2 * curved.turns[face]
    waves.setFace(bend, curvature, across, this.reachesShadow(r, Math.PI), lit, b)
    let added = false
    for (let t = start[face]; t < start[face + 1]; t++) {
      const m = 4 * facets[t]
      const own: Vec3 = [rays.normals[m], rays.normals[m + 1], rays.normals[m + 2]]
      added = waves.addFacet(corners, normals, 9 * t, own) || added
    }
    return added
  }

  /**
   * 1 where the surface, as it bends at the face's middle, goes on to the shadow boundary of light from r, and that is lit; else 0. With
   * `over` = pi to the boundary on the other side of the body, 1 to 0 by how round it is.
   */
  private reachesShadow(r: Vec3, over: number): number {
    const { caster, rays, p, n, along, bend } = this
    const rate = Math.hypot(bend[0], bend[1], bend[2])
    const turn = Math.atan((-dot(n, r) * rate) / dot(bend, r)) - over
    const [cos, sin] = [Math.cos(turn), Math.sin(turn)]
    const top: Vec3 = [0, 0, 0]
    for (let c = 0; c < 3; c++) top[c] = n[c] * cos + (bend[c] / rate) * sin
    normalise(top)
    const off = (OFF_ARC * Math.abs(turn) + 1e-3) / rate
    const start: Vec3 = [0, 0, 0]
    for (let c = 0; c < 3; c++) start[c] = p[c] + (along[c] * sin - (1 - cos) * n[c]) / rate + off * top[c]
    caster.nearest(start[0], start[1], start[2], -top[0], -top[1], -top[2], -1, 2 * off)
    const { facet } = caster
    if (facet < 0) return 0
    const m = 4 * facet
    const tilt = 1 - (top[0] * rays.normals[m] + top[1] * rays.normals[m + 1] + top[2] * rays.normals[m + 2])
    if (tilt > 1 - ALIGNED) return 0
    const beside = Math.abs(caster.t - off) / off
    if (caster.occluded(start[0], start[1], start[2], r[0], r[1], r[2], -1)) return 0
    return over > 0 ? Math.exp(-((beside / ROUND) ** 2) - (tilt / TILT) ** 2) : 1
  }
}

function normalise(a: Vec3): void {
  const length = Math.hypot(a[0], a[1], a[2])
  for (let c = 0; c < 3; c++) a[c] /= length
}
