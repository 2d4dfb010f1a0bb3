import { addExactly } from '../../parallel/index.js'
import { type Aspect, type Band, cross, dot, type Vec3 } from '../../scene/index.js'
import { RayCaster, type RayScene } from '../../rays/index.js'
import { boundsOf } from '../../scene/frequency-steps.js'
import { type PathSum, pathSum } from '../path-sum.js'
import { bendAlong, type CurvedFacets, findCurvedFacets } from './curved-facets.js'
import { fockFunctions, RANGE } from './fock.js'
import { SurfaceWaves } from './surface-waves.js'

/** Facets whose currents are summed as one, at least, and such units of a target, at most: enough for threads to share. */
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
 * exp(-DECAY pi (kR/2)^(1/3)) is below `NOTHING`, at kR = 14. What ends at edges before is theirs.
 */
export const largestRadius = (k: number): number => (2 / k) * (Math.log(1 / NOTHING) / (DECAY * Math.PI)) ** 3

/** Those of a target in a band; null where no surface counts. @param radii  `EdgeScene.meanRadii` */
export function creepingWaves(
  rays: RayScene,
  radii: Float64Array,
  band: Band,
  exact: boolean,
): CreepingWaves | null {
  const curved = findCurvedFacets(rays, radii, largestRadius(boundsOf(band).lowest))
  return curved.list.length > 0 ? new CreepingWaves(rays, curved, band, exact) : null
}

/**
 * Currents near the shadow boundaries of smooth convex surfaces and waves that creep into their shadow, less what physical optics has there:
 *
 *   F_pq = -(jk/4 pi) int e_q . (eta J - eta J_PO) exp(jk (s_tx + s_rx) . r) dS
 *
 * with J of `SurfaceWaves`, over the facets of closed smooth regions, whose normals are interpolated: those without edges, and those small enough
 * for waves to get around (`largestRadius`). One object per thread.
 */
export class CreepingWaves {
  /** Units of facets that are added. */
  readonly units: number
  private readonly unit: number
  private readonly caster: RayCaster
  private readonly paths: PathSum
  private readonly waves: SurfaceWaves
  private readonly part: Float64Array
  /** (k/2)^(1/3) at the lower bound of the frequencies (`boundsOf`). */
  private readonly lowest: number
  /** Of the facet being added: its middle, the normal there, the direction in which light runs over it, and changes of the normal. */
  private readonly p: Vec3 = [0.5, 0.5, 0.5]
  private readonly n: Vec3 = [0.5, 0.5, 0.5]
  private readonly along: Vec3 = [0.5, 0.5, 0.5]
  private readonly bend: Vec3 = [0.5, 0.5, 0.5]
  private readonly sideways: Vec3 = [0.5, 0.5, 0.5]

  constructor(
    private readonly rays: RayScene,
    private readonly curved: CurvedFacets,
    band: Band,
    exact: boolean,
  ) {
    const { length } = curved.list
    this.unit = Math.max(LEAST, Math.ceil(length / UNITS))
    this.units = Math.ceil(length / this.unit)
    this.caster = new RayCaster(rays)
    // Fock functions vary faster than what edges answer.
    this.paths = pathSum(band, exact, 4)
    this.waves = new SurfaceWaves(this.paths, fockFunctions(), rays.origin)
    this.part = new Float64Array(8 * band.n)
    this.lowest = Math.cbrt(boundsOf(band).lowest / 2)
  }

  /** Adds units first to end - 1, each rounded to the quantum, to `sum`: 8 numbers per frequency [m], referred to the mesh's origin. */
  add(aspect: Aspect, first: number, end: number, quantum: number, sum: Float64Array): void {
    const { list } = this.curved
    this.waves.setAspect(aspect)
    const size = this.unit
    for (let unit = first; unit < end; unit++) {
      this.paths.reset()
      let added = false
      for (let i = size * unit; i < Math.min(list.length, size * (unit + 1)); i++)
        added = this.addFacet(list[i], aspect.tx.r) || added
      if (!added) continue
      this.part.fill(0)
      this.paths.finish(this.part)
      addExactly(sum, this.part, quantum)
    }
  }

  /** Adds the currents of a facet in light from r; false where it has none. */
  private addFacet(f: number, r: Vec3): boolean {
    const { rays, curved, waves, lowest, p, n, along, bend, sideways } = this
    const { vertices } = rays
    const { normals } = curved
    const v = 9 * f
    let least = 1
    for (let i = v; i < v + 9; i += 3)
      least = Math.min(least, normals[i] * r[0] + normals[i + 1] * r[1] + normals[i + 2] * r[2])
    // Too far in the light, were it bent as little as it is in any direction.
    if (-least * lowest < RANGE.lit * Math.cbrt(curved.most[f])) return false
    for (let c = 0; c < 3; c++) {
      p[c] = (vertices[v + c] + vertices[v + 3 + c] + vertices[v + 6 + c]) / 3
      n[c] = normals[v + c] + normals[v + 3 + c] + normals[v + 6 + c]
    }
    normalise(n)
    const cosine = dot(n, r)
    for (let c = 0; c < 3; c++) along[c] = cosine * n[c] - r[c]
    const sine = Math.hypot(along[0], along[1], along[2])
    if (sine < NORMAL) return false
    for (let c = 0; c < 3; c++) along[c] /= sine
    bendAlong(vertices, normals, v, along, bend)
    const curvature = dot(along, bend)
    if (!(curvature > 0) || -least * lowest < RANGE.lit * Math.cbrt(curvature)) return false
    if (this.reachesShadow(r, 0) === 0) return false
    const b = cross(along, n)
    bendAlong(vertices, normals, v, b, sideways)
    const own: Vec3 = [rays.normals[4 * f], rays.normals[4 * f + 1], rays.normals[4 * f + 2]]
    return waves.addFacet(
      vertices,
      normals,
      v,
      own,
      bend,
      curvature,
      dot(b, sideways),
      this.reachesShadow(r, Math.PI),
    )
  }

  /**
   * 1 where the surface, as it bends at the facet's middle, goes on to the shadow boundary of light from r, and that is lit; else 0. With
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
