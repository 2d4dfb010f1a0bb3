import { type Direction, dot, type Vec3 } from '../scene/index.js'
import { DOUBLE_OFFSET, GRAZING_COSINE, RayCaster, type RayScene } from '../rays/index.js'
import { conducts } from './conducting.js'

/** Reflections before an edge that are followed. */
const MAX_REFLECTIONS = 2
/** Rays along one side of the rectangle about the target that look for planes which reflect (decision 015). */
const SEARCH_RAYS = 48
/** Reflected waves kept, those that most rays follow: a curved body has one for each facet. */
const MAX_WAVES = 64
/** Turn of the search rays' lattice against the polarisation basis [rad], so that none runs along an edge. */
const TURN = 0.3
/** A ray followed back must end in the direction of the transmitter to within this cosine's distance from 1. */
const SAME_DIRECTION = 1e-9

/** A plane wave that lights edges: the transmitter's own, or one of its images. */
export interface LightWave {
  /** Unit vector to where it comes from, and the two incident polarisations [1], reflected as a perfect conductor does. */
  r: Vec3
  thetaHat: Vec3
  phiHat: Vec3
  /** Its phase at r' is exp(jk(r . r' + path)) [m], relative to the origin of the ray scene. */
  path: number
  /** Numbers of the planes that reflected it, the last one first; none for the transmitter's own. */
  planes: number[]
}

/** The transmitter's own wave. */
export const directWave = ({ r, thetaHat, phiHat }: Direction): LightWave => ({
  r,
  thetaHat,
  phiHat,
  path: 0,
  planes: [],
})

/** A reflected wave, and how many rays of it meet something. */
interface Found {
  wave: LightWave
  rays: number
}

/** Number of each facet's plane: equal for facets of one plane, to the precision of meshes. */
export function facetPlaneNumbers(rays: RayScene): Int32Array {
  const { normals, diagonal, count } = rays
  const numbers = new Int32Array(count)
  // Open addressing: slots hold a facet of the plane, or -1.
  const slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * count + 2))).fill(-1)
  const keys = new Int32Array(4 * count)
  let planes = 0
  for (let f = 0; f < count; f++) {
    const at = 4 * f
    const first =
      Math.abs(normals[at]) > 1e-6
        ? normals[at]
        : Math.abs(normals[at + 1]) > 1e-6
          ? normals[at + 1]
          : normals[at + 2]
    const sign = first < 0 ? -1e5 : 1e5
    for (let c = 0; c < 4; c++) keys[at + c] = Math.round((sign * normals[at + c]) / (c === 3 ? diagonal : 1))
    let hash = 0
    for (let c = 0; c < 4; c++) hash = Math.imul(hash ^ keys[at + c], 0x9e3779b1) ^ (hash >>> 15)
    let slot = hash & (slots.length - 1)
    while (slots[slot] >= 0 && !sameKey(keys, at, 4 * slots[slot])) slot = (slot + 1) & (slots.length - 1)
    if (slots[slot] < 0) {
      slots[slot] = f
      numbers[f] = planes++
    } else numbers[f] = numbers[slots[slot]]
  }
  return numbers
}

const sameKey = (keys: Int32Array, a: number, b: number): boolean =>
  keys[a] === keys[b] &&
  keys[a + 1] === keys[b + 1] &&
  keys[a + 2] === keys[b + 2] &&
  keys[a + 3] === keys[b + 3]

/** Finds the reflected plane waves of an aspect and says which of them reach a point. One object per thread. */
export class ImageWaves {
  private readonly caster: RayCaster

  /** @param planes  see `facetPlaneNumbers` */
  constructor(
    private readonly rays: RayScene,
    private readonly planes: Int32Array,
  ) {
    this.caster = new RayCaster(rays)
  }

  /** The transmitter's wave, then those of its images that meet something, those of most rays first. */
  find(tx: Direction): LightWave[] {
    const direct = directWave(tx)
    const found = new Map<string, Found>()
    const [cos, sin] = [Math.cos(TURN), Math.sin(TURN)]
    const { thetaHat, phiHat } = tx
    const { u0, u1, v0, v1, nearest } = this.extents(
      thetaHat.map((x, c) => cos * x + sin * phiHat[c]),
      phiHat.map((x, c) => cos * x - sin * thetaHat[c]),
      tx.r,
    )
    const away = nearest + this.rays.diagonal
    for (let j = 0; j < SEARCH_RAYS; j++)
      for (let i = 0; i < SEARCH_RAYS; i++) {
        const u = u0 + ((i + 0.5) / SEARCH_RAYS) * (u1 - u0)
        const v = v0 + ((j + 0.5) / SEARCH_RAYS) * (v1 - v0)
        const [across, up] = [u * cos - v * sin, u * sin + v * cos]
        const start = tx.r.map((x, c) => away * x + across * thetaHat[c] + up * phiHat[c]) as Vec3
        this.follow(start, direct, found)
      }
    const list = [...found.values()].filter(({ rays }) => rays > 0).sort((a, b) => b.rays - a.rays)
    return [direct, ...list.slice(0, MAX_WAVES).map(({ wave }) => wave)]
  }

  /** From where to where the target reaches along two unit vectors, and how far along a third [m]. */
  private extents([ux, uy, uz]: number[], [vx, vy, vz]: number[], [rx, ry, rz]: number[]) {
    const { points } = this.rays
    let [u0, u1, v0, v1, nearest] = [Infinity, -Infinity, Infinity, -Infinity, -Infinity]
    for (let i = 0; i < points.length; i += 3) {
      const [x, y, z] = [points[i], points[i + 1], points[i + 2]]
      const u = ux * x + uy * y + uz * z
      const v = vx * x + vy * y + vz * z
      u0 = Math.min(u0, u)
      u1 = Math.max(u1, u)
      v0 = Math.min(v0, v)
      v1 = Math.max(v1, v)
      nearest = Math.max(nearest, rx * x + ry * y + rz * z)
    }
    return { u0, u1, v0, v1, nearest }
  }

  /** Whether the wave reaches the point p: the ray back from p meets its planes, and then nothing. */
  reaches(wave: LightWave, px: number, py: number, pz: number, tx: Vec3): boolean {
    const { caster, planes } = this
    const p: Vec3 = [px, py, pz]
    const d: Vec3 = [...wave.r]
    let from = -1
    for (const plane of wave.planes) {
      if (!caster.nearest(p[0], p[1], p[2], d[0], d[1], d[2], from)) return false
      from = caster.facet
      if (planes[from] !== plane || !conducts(this.rays, from)) return false
      this.bounce(p, d)
    }
    return dot(d, tx) > 1 - SAME_DIRECTION && !caster.occluded(p[0], p[1], p[2], d[0], d[1], d[2], from)
  }

  /** Follows a ray of the wave, and counts for each of its images the rays that meet something again. */
  private follow(p: Vec3, wave: LightWave, found: Map<string, Found>): void {
    const { caster, planes } = this
    const d = wave.r.map((x) => -x) as Vec3
    let from = -1
    let entry: Found | undefined
    for (let m = 0; caster.nearest(p[0], p[1], p[2], d[0], d[1], d[2], from); m++) {
      if (!conducts(this.rays, caster.facet) || this.isEdgeOn(caster.facet, d)) return
      if (entry) entry.rays++
      if (m === MAX_REFLECTIONS) return
      from = caster.facet
      wave = entry?.wave ?? wave
      const key = [planes[from], ...wave.planes].join()
      entry = found.get(key)
      if (!entry) found.set(key, (entry = { wave: this.reflected(wave, from), rays: 0 }))
      this.bounce(p, d)
    }
  }

  /** Whether a ray meets a facet by rounding alone: it has no image in its plane. */
  private isEdgeOn(facet: number, d: Vec3): boolean {
    const n = this.rays.normals
    return Math.abs(n[4 * facet] * d[0] + n[4 * facet + 1] * d[1] + n[4 * facet + 2] * d[2]) < GRAZING_COSINE
  }

  /** The wave's image in the plane of a facet: E_refl = 2n(n.E) - E, in phase with the wave on the plane. */
  private reflected(wave: LightWave, facet: number): LightWave {
    const [nx, ny, nz, offset] = this.rays.normals.subarray(4 * facet, 4 * facet + 4)
    const n: Vec3 = [nx, ny, nz]
    const nr = dot(n, wave.r)
    const field = (e: Vec3): Vec3 => e.map((x, c) => 2 * dot(n, e) * n[c] - x) as Vec3
    return {
      r: wave.r.map((x, c) => x - 2 * nr * n[c]) as Vec3,
      thetaHat: field(wave.thetaHat),
      phiHat: field(wave.phiHat),
      path: wave.path + 2 * offset * nr,
      planes: [this.planes[facet], ...wave.planes],
    }
  }

  /** Moves p to the caster's last hit, a little above the facet, and reflects d. */
  private bounce(p: Vec3, d: Vec3): void {
    const { caster, rays } = this
    const at = 4 * caster.facet
    const n = rays.normals
    const nd = n[at] * d[0] + n[at + 1] * d[1] + n[at + 2] * d[2]
    const lift = (nd < 0 ? DOUBLE_OFFSET : -DOUBLE_OFFSET) * rays.diagonal
    for (let c = 0; c < 3; c++) {
      p[c] += caster.t * d[c] + lift * n[at + c]
      d[c] -= 2 * nd * n[at + c]
    }
  }
}
