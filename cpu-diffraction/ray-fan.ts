import { DOUBLE_OFFSET, RayCaster, type RayScene } from '../rays/index.js'
import { type Vec3 } from '../scene/index.js'

/** Reflections of a diffracted ray that are followed. */
const MAX_REFLECTIONS = 3
/** The first rays of a fan are at most this far apart [rad], and this part of a Fresnel zone across the target; */
const FIRST_STEP = 0.15
const FIRST_ZONES = 1
/** where two neighbours meet other planes, the boundary between is found to within this part of a Fresnel zone there. */
const BOUNDARY_ZONES = 0.1
/** The outermost rays of a fan keep this far from the edge's faces [rad]. */
const FROM_FACE = 1e-4

/** A fan's rays between two azimuths, which all meet the same planes. */
export interface RayBundle {
  from: number
  to: number
  /** Facets met in order; the first `count` count. */
  facets: Int32Array
  count: number
  /** Bit m: the receiver sees hit m, on the side that the ray meets. */
  visible: number
}

interface Ray {
  /** Way to its last hit [m]. */
  way: number
  facets: Int32Array
  count: number
  visible: number
  /** Numbers of the planes met, and the sides they are met on. */
  meets: number[]
}

/** Directions of a Keller cone by azimuth: out = sinBeta (cos a x + sin a y) + cosBeta z, in a face's frame at `at`. */
export function coneDirection(
  frame: Float64Array,
  at: number,
  sinBeta: number,
  cosBeta: number,
  azimuth: number,
  out: Float64Array | Vec3,
): void {
  const cx = sinBeta * Math.cos(azimuth)
  const cy = sinBeta * Math.sin(azimuth)
  for (let c = 0; c < 3; c++)
    out[c] = cx * frame[at + c] + cy * frame[at + 3 + c] + cosBeta * frame[at + 6 + c]
}

/** Traces fans of diffracted rays from points of edges. One object per thread. */
export class FanTracer {
  private readonly caster: RayCaster
  private readonly direction: Vec3 = [0, 0, 0]

  /**
   * @param planes    see `facetPlaneNumbers`
   * @param shortest  wavelength [m]
   */
  constructor(
    private readonly rays: RayScene,
    private readonly planes: Int32Array,
    private readonly shortest: number,
  ) {
    this.caster = new RayCaster(rays)
  }

  /**
   * Traces the cone of rays from p over the azimuths 0 to `full` (N pi) and hands over the bundles that meet something, in order.
   *
   * @param frame,at,sinBeta,cosBeta  see `coneDirection`
   * @param s                         direction to the receiver
   */
  trace(
    p: Vec3,
    frame: Float64Array,
    at: number,
    sinBeta: number,
    cosBeta: number,
    full: number,
    s: Vec3,
    take: (bundle: RayBundle) => void,
  ): void {
    const cast = (azimuth: number): Ray => {
      coneDirection(frame, at, sinBeta, cosBeta, azimuth, this.direction)
      return this.cast(p, this.direction, s)
    }
    const emit = (from: number, to: number, { facets, count, visible }: Ray): void => {
      if (visible !== 0) take({ from, to, facets, count, visible })
    }
    const between = (from: number, first: Ray, to: number, last: Ray): void => {
      if (sameWay(first, last)) return emit(from, to, first)
      const middle = 0.5 * (from + to)
      if (to - from < BOUNDARY_ZONES * zone(Math.max(first.way, last.way), this.shortest)) {
        emit(from, middle, first)
        return emit(middle, to, last)
      }
      const ray = cast(middle)
      between(from, first, middle, ray)
      between(middle, ray, to, last)
    }
    const step = Math.min(FIRST_STEP, FIRST_ZONES * zone(this.rays.diagonal, this.shortest))
    const steps = Math.ceil(full / step)
    const span = (full - 2 * FROM_FACE) / steps
    let first = cast(FROM_FACE)
    for (let i = 1; i <= steps; i++) {
      const last = cast(FROM_FACE + i * span)
      between(FROM_FACE + (i - 1) * span, first, FROM_FACE + i * span, last)
      first = last
    }
  }

  private cast(p: Vec3, d: Vec3, s: Vec3): Ray {
    const { caster, planes } = this
    const { normals, diagonal } = this.rays
    const ray: Ray = { way: 0, facets: new Int32Array(MAX_REFLECTIONS), count: 0, visible: 0, meets: [] }
    let [x, y, z] = p
    let [dx, dy, dz] = d
    let from = -1
    while (ray.count < MAX_REFLECTIONS && caster.nearest(x, y, z, dx, dy, dz, from)) {
      from = caster.facet
      ray.way += caster.t
      const f = 4 * from
      const nd = normals[f] * dx + normals[f + 1] * dy + normals[f + 2] * dz
      const side = nd < 0 ? 1 : -1
      const lift = side * DOUBLE_OFFSET * diagonal
      x += caster.t * dx + lift * normals[f]
      y += caster.t * dy + lift * normals[f + 1]
      z += caster.t * dz + lift * normals[f + 2]
      const towards = side * (normals[f] * s[0] + normals[f + 1] * s[1] + normals[f + 2] * s[2])
      if (towards > 0 && !caster.occluded(x, y, z, s[0], s[1], s[2], from)) ray.visible |= 1 << ray.count
      dx -= 2 * nd * normals[f]
      dy -= 2 * nd * normals[f + 1]
      dz -= 2 * nd * normals[f + 2]
      ray.meets.push(side * (planes[from] + 1))
      ray.facets[ray.count++] = from
    }
    return ray
  }
}

/** Angle of a Fresnel zone at a distance from the edge [rad]; finite at the edge. */
const zone = (way: number, lambda: number): number => Math.sqrt(lambda / (way + lambda))

const sameWay = (a: Ray, b: Ray): boolean =>
  a.visible === b.visible && a.count === b.count && a.meets.every((plane, i) => plane === b.meets[i])
