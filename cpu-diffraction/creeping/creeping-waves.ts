import { addExactly } from '../../parallel/index.js'
import {
  type Aspect,
  type Band,
  cross,
  dot,
  frequency,
  highestFrequency,
  type Vec3,
  wavelength,
} from '../../scene/index.js'
import { RayCaster, type RayScene } from '../../rays/index.js'
import { type PathSum, pathSum } from '../path-sum.js'
import { type CurvedFacets, findCurvedFacets } from './curved-facets.js'
import { RANGE, FockFunctions } from './fock.js'
import { SurfaceWaves } from './surface-waves.js'

/** Facets whose currents are rounded together. */
const UNIT = 64
/** Longest side of the triangles that are integrated with three points each [wavelengths]. */
const SIDE = 1 / 5
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
/** Light this near to a surface's normal (sine) has no direction along it. */
const NORMAL = 1e-3
/** Points of the integration rule of second degree over a triangle (barycentric coordinates). */
const THREE = [
  [1 / 6, 1 / 6],
  [2 / 3, 1 / 6],
  [1 / 6, 2 / 3],
] as const

/**
 * Currents near the shadow boundaries of smooth convex surfaces and waves that creep into their shadow, less what physical optics has there:
 *
 *   F_pq = -(jk/4 pi) int e_q . (eta J - eta J_PO) exp(jk (s_tx + s_rx) . r) dS
 *
 * with J of `SurfaceWaves`, over the facets of closed smooth regions, whose normals are interpolated. One object per thread.
 */
export class CreepingWaves {
  /** Units of facets that are added. */
  readonly units: number
  private readonly curved: CurvedFacets
  private readonly caster: RayCaster
  private readonly paths: PathSum
  private readonly waves: SurfaceWaves
  private readonly part: Float64Array
  private readonly shortest: number
  private readonly longest: number

  constructor(
    private readonly rays: RayScene,
    band: Band,
    exact: boolean,
  ) {
    this.curved = findCurvedFacets(rays)
    this.units = Math.ceil(this.curved.list.length / UNIT)
    this.caster = new RayCaster(rays)
    this.paths = pathSum(band, exact)
    this.waves = new SurfaceWaves(this.paths.k, new FockFunctions())
    this.part = new Float64Array(8 * band.n)
    this.shortest = wavelength(Math.max(band.f0, highestFrequency(band)))
    this.longest = wavelength(Math.min(band.f0, frequency(band, band.n - 1)))
  }

  /** Adds units first to end - 1, each rounded to the quantum, to `sum`: 8 numbers per frequency [m], referred to the mesh's origin. */
  add(aspect: Aspect, first: number, end: number, quantum: number, sum: Float64Array): void {
    const { list } = this.curved
    for (let unit = first; unit < end; unit++) {
      this.paths.reset()
      let added = false
      for (let i = UNIT * unit; i < Math.min(list.length, UNIT * (unit + 1)); i++)
        added = this.addFacet(list[i], aspect) || added
      if (!added) continue
      this.part.fill(0)
      this.paths.finish(this.part)
      addExactly(sum, this.part, quantum)
    }
  }

  /** Adds the currents of a facet; false where it has none. */
  private addFacet(f: number, aspect: Aspect): boolean {
    const { r } = aspect.tx
    const { rays, curved, waves } = this
    const corners = three(rays.vertices, 9 * f)
    const normals = three(curved.normals, 9 * f)
    const n = unit(plus(normals))
    const c = dot(n, r)
    const along = r.map((x, i) => c * n[i] - x) as Vec3
    if (Math.hypot(...along) < NORMAL) return false
    const t = unit(along)
    const bend = bendAlong(corners, normals, t)
    const curvature = dot(t, bend)
    if (!(curvature > 0)) return false
    const least = Math.min(...normals.map((m) => dot(m, r)))
    if (-least * Math.cbrt(Math.PI / (curvature * this.longest)) < RANGE.lit) return false
    const p = plus(corners).map((x) => x / 3) as Vec3
    if (this.reachesShadow(p, n, t, bend, r, 0) === 0) return false
    const b = cross(t, n)
    const sides = dot(b, bendAlong(corners, normals, b))
    waves.aim(
      vector(rays.normals, 4 * f),
      bend,
      curvature,
      sides,
      this.reachesShadow(p, n, t, bend, r, Math.PI),
      aspect,
    )
    this.integrate(corners, normals, aspect)
    return true
  }

  /**
   * 1 where the surface, as it bends at a point with normal n along t (`bend`, dn/ds), goes on to the shadow boundary of light from r, and that is
   * lit; else 0. With `over` = pi to the boundary on the other side of the body, 1 to 0 by how round it is.
   */
  private reachesShadow(p: Vec3, n: Vec3, t: Vec3, bend: Vec3, r: Vec3, over: number): number {
    const { caster, rays } = this
    const rate = Math.hypot(...bend)
    const turn = Math.atan((-dot(n, r) * rate) / dot(bend, r)) - over
    const [cos, sin] = [Math.cos(turn), Math.sin(turn)]
    const top = unit(n.map((x, i) => x * cos + (bend[i] / rate) * sin) as Vec3)
    const off = (OFF_ARC * Math.abs(turn) + 1e-3) / rate
    const start = p.map((x, i) => x + (t[i] * sin - (1 - cos) * n[i]) / rate + off * top[i]) as Vec3
    caster.nearest(start[0], start[1], start[2], -top[0], -top[1], -top[2], -1, 2 * off)
    const { facet } = caster
    if (facet < 0) return 0
    const tilt = 1 - dot(top, vector(rays.normals, 4 * facet))
    if (tilt > 1 - ALIGNED) return 0
    const beside = Math.abs(caster.t - off) / off
    if (caster.occluded(start[0], start[1], start[2], r[0], r[1], r[2], -1)) return 0
    return over > 0 ? Math.exp(-((beside / ROUND) ** 2) - (tilt / TILT) ** 2) : 1
  }

  /** Integrates over a triangle, cut in halves until it is small. */
  private integrate(corners: Vec3[], normals: Vec3[], aspect: Aspect): void {
    const sides = [0, 1, 2].map((i) => Math.hypot(...minus(corners[(i + 1) % 3], corners[i])))
    const longest = sides.indexOf(Math.max(...sides))
    if (sides[longest] > SIDE * this.shortest) {
      const [i, j] = [longest, (longest + 1) % 3]
      const middle = halfway(corners[i], corners[j])
      const normal = halfway(normals[i], normals[j])
      for (const drop of [i, j])
        this.integrate(
          corners.map((p, at) => (at === drop ? middle : p)),
          normals.map((n, at) => (at === drop ? normal : n)),
          aspect,
        )
      return
    }
    const { rays, waves, paths } = this
    const { origin } = rays
    const weight = Math.hypot(...cross(minus(corners[1], corners[0]), minus(corners[2], corners[0]))) / 6
    const { tx, rx } = aspect
    const shift = dot(tx.r, origin) + dot(rx.r, origin)
    for (const [u, v] of THREE) {
      const p = mix(corners, u, v)
      if (waves.at(unit(mix(normals, u, v)), weight, aspect))
        paths.add(dot(tx.r, p) + dot(rx.r, p) + shift, waves.amplitudes)
    }
  }
}

/** Change of the normal along a direction in a facet, from the normals at its corners [1/m]. */
function bendAlong(corners: Vec3[], normals: Vec3[], t: Vec3): Vec3 {
  const [a, b] = [minus(corners[1], corners[0]), minus(corners[2], corners[0])]
  const [aa, ab, bb] = [dot(a, a), dot(a, b), dot(b, b)]
  const [ta, tb] = [dot(t, a), dot(t, b)]
  const det = aa * bb - ab * ab
  const [u, v] = [(bb * ta - ab * tb) / det, (aa * tb - ab * ta) / det]
  return normals[0].map((x, i) => u * (normals[1][i] - x) + v * (normals[2][i] - x)) as Vec3
}

const vector = (a: Float64Array, at: number): Vec3 => [a[at], a[at + 1], a[at + 2]]
const three = (a: Float64Array, at: number): Vec3[] => [vector(a, at), vector(a, at + 3), vector(a, at + 6)]
const minus = (a: Vec3, b: Vec3): Vec3 => [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
const plus = ([a, b, c]: Vec3[]): Vec3 => [a[0] + b[0] + c[0], a[1] + b[1] + c[1], a[2] + b[2] + c[2]]
const halfway = (a: Vec3, b: Vec3): Vec3 => [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2, (a[2] + b[2]) / 2]
const unit = (a: Vec3): Vec3 => {
  const length = Math.hypot(a[0], a[1], a[2])
  return [a[0] / length, a[1] / length, a[2] / length]
}
/** Point or normal at barycentric coordinates 1 - u - v, u, v. */
const mix = ([a, b, c]: Vec3[], u: number, v: number): Vec3 => [
  a[0] + u * (b[0] - a[0]) + v * (c[0] - a[0]),
  a[1] + u * (b[1] - a[1]) + v * (c[1] - a[1]),
  a[2] + u * (b[2] - a[2]) + v * (c[2] - a[2]),
]
