import { DOUBLE_OFFSET, GRAZING_COSINE, RayCaster, type RayScene } from '../../rays/index.js'
import { cross, type Direction, dot, type Vec3 } from '../../scene/index.js'
import { conducts, EDGE_SIZE, type EdgeScene } from '../geometry/edge-scene.js'
import { awayFromFaces } from './segments.js'

/** Points of an edge at which the light is looked for, so many Fresnel zones of the target's size apart at most; */
const SPACING_ZONES = 0.2
/** its boundaries are found to within this part of the longest segment of first order; */
const BOUNDARY = 0.02
/** the outermost points lie this part of their distance from the edge's ends. */
const NEAR_END = 0.02

/** Finds the parts of edges that a reflected wave lights, for second order: its terms vary over Fresnel zones, not wavelengths. One object per thread. */
class SampledLight {
  /** Ends of the parts [m from the edge's start], in turn. */
  readonly ends: number[]
  private sees!: (x: number, y: number, z: number) => boolean
  private edge = 0
  private readonly lift: Vec3 = [0.5, 0.5, 0.5]
  private readonly spacing: number

  /**
   * @param segmentLength  longest segment of first order [m]
   * @param wavelength     the shortest [m]
   * @param size           see `RayScene.size`
   */
  constructor(
    private readonly scene: EdgeScene,
    private readonly segmentLength: number,
    wavelength: number,
    size: number,
  ) {
    this.spacing = Math.max(segmentLength, SPACING_ZONES * Math.sqrt(wavelength * (size + wavelength)))
    this.ends = [0.5]
    this.ends.length = 0
  }

  /**
   * Sets `ends` for edge e.
   * @param lift  from a point of the edge to where light is looked for, a little off the faces [m]
   * @param sees  whether light reaches a point
   */
  find(e: number, lift: Vec3, sees: (x: number, y: number, z: number) => boolean): void {
    const { ends } = this
    ends.length = 0
    this.edge = e
    this.sees = sees
    this.lift[0] = lift[0]
    this.lift[1] = lift[1]
    this.lift[2] = lift[2]
    const whole = this.scene.edges[EDGE_SIZE * e + 6]
    if (whole <= this.segmentLength) {
      if (this.isLit(0.5 * whole)) ends.push(0, whole)
      return
    }
    const count = Math.ceil(whole / this.spacing - 1e-9)
    const step = whole / count
    let at = NEAR_END * step
    let before = this.isLit(at)
    if (before) ends.push(0)
    for (let i = 0; i <= count; i++) {
      const to = i < count ? (i + 0.5) * step : whole - NEAR_END * step
      const now = this.isLit(to)
      if (now !== before) ends.push(this.boundary(at, to, before))
      before = now
      at = to
    }
    if (before) ends.push(whole)
  }

  /** Where between a and b the light changes, from `before` at a. */
  private boundary(a: number, b: number, before: boolean): number {
    while (b - a > BOUNDARY * this.segmentLength) {
      const middle = 0.5 * (a + b)
      if (this.isLit(middle) === before) a = middle
      else b = middle
    }
    return 0.5 * (a + b)
  }

  private isLit(t: number): boolean {
    const { lift } = this
    const { edges } = this.scene
    const p = EDGE_SIZE * this.edge
    return this.sees(
      edges[p] + t * edges[p + 3] + lift[0],
      edges[p + 1] + t * edges[p + 4] + lift[1],
      edges[p + 2] + t * edges[p + 5] + lift[2],
    )
  }
}

/** Beams are taken this part of the target's diagonal wider than the facets that reflect them, or so many tolerances of the mesh. */
const MARGIN = 1e-6
const MARGIN_TOLERANCES = 4
/** Numbers per beam: n towards the light and n . r of the plane; u and v across the beam, and the least and largest u . r, v . r in it. */
const SIZE = 14

/**
 * Says which edges the beams of reflected waves may light. The beam that leaves the facets of the plane which reflects it last is a prism,
 * of which the box across its direction is looked at. One object per thread.
 */
export class Beams {
  /** Facets by plane, from `first` of its number on. */
  private readonly first: Int32Array
  private readonly facets: Int32Array
  private beams = new Float64Array(0)
  private readonly margin: number

  /** @param planes  see `facetPlaneNumbers` */
  constructor(
    private readonly scene: EdgeScene,
    private readonly rays: RayScene,
    planes: Int32Array,
  ) {
    this.margin = Math.max(MARGIN * rays.diagonal, MARGIN_TOLERANCES * scene.tolerance)
    let count = 0
    for (const plane of planes) count = Math.max(count, plane + 1)
    this.first = new Int32Array(count + 1)
    this.facets = new Int32Array(planes.length)
    for (const plane of planes) this.first[plane + 1]++
    for (let i = 0; i < count; i++) this.first[i + 1] += this.first[i]
    const next = this.first.slice()
    for (let f = 0; f < planes.length; f++) this.facets[next[planes[f]]++] = f
  }

  /** Takes the waves of an aspect. */
  set(waves: LightWave[]): void {
    this.beams = new Float64Array(SIZE * waves.length)
    for (let w = 0; w < waves.length; w++) if (waves[w].planes.length > 0) this.setBeam(waves[w], SIZE * w)
  }

  private setBeam({ r, planes }: LightWave, o: number): void {
    const { first, facets, beams, margin } = this
    const { normals, vertices } = this.rays
    const least = Math.abs(r[0]) < 0.6 ? 0 : Math.abs(r[1]) < 0.6 ? 1 : 2
    const axis: Vec3 = [0, 0, 0]
    axis[least] = 1
    const u = cross(r, axis)
    const v = cross(r, u)
    const plane = planes[0]
    const n = 4 * facets[first[plane]]
    const sign = normals[n] * r[0] + normals[n + 1] * r[1] + normals[n + 2] * r[2] < 0 ? -1 : 1
    for (let c = 0; c < 3; c++) {
      beams[o + c] = sign * normals[n + c]
      beams[o + 4 + c] = u[c]
      beams[o + 9 + c] = v[c]
    }
    beams[o + 3] = sign * normals[n + 3] - margin
    for (const at of [o + 4, o + 9]) {
      let low = Infinity
      let high = -Infinity
      for (let i = first[plane]; i < first[plane + 1]; i++)
        for (let a = 9 * facets[i]; a < 9 * facets[i] + 9; a += 3) {
          const x =
            beams[at] * vertices[a] + beams[at + 1] * vertices[a + 1] + beams[at + 2] * vertices[a + 2]
          low = Math.min(low, x)
          high = Math.max(high, x)
        }
      beams[at + 3] = low - margin
      beams[at + 4] = high + margin
    }
  }

  /** Whether any edge may have a part in the beam of wave w. */
  mayLightAny(w: number): boolean {
    for (let e = 0; e < this.scene.count; e++) if (this.mayLight(e, w)) return true
    return false
  }

  /** Whether a part of edge e may lie in the beam of wave w, one of at least one reflection: not where the edge is a rim of the mirror itself. */
  mayLight(e: number, w: number): boolean {
    const { beams: b } = this
    const { edges } = this.scene
    const o = SIZE * w
    const p = EDGE_SIZE * e
    const ax = edges[p]
    const ay = edges[p + 1]
    const az = edges[p + 2]
    const dx = edges[p + 6] * edges[p + 3]
    const dy = edges[p + 6] * edges[p + 4]
    const dz = edges[p + 6] * edges[p + 5]
    // The plane lies ahead, seen towards the light.
    const n = b[o] * ax + b[o + 1] * ay + b[o + 2] * az
    if (n > b[o + 3] && n + b[o] * dx + b[o + 1] * dy + b[o + 2] * dz > b[o + 3]) return false
    const u = b[o + 4] * ax + b[o + 5] * ay + b[o + 6] * az
    const du = b[o + 4] * dx + b[o + 5] * dy + b[o + 6] * dz
    if (u < b[o + 7] ? u + du < b[o + 7] : u > b[o + 8] && u + du > b[o + 8]) return false
    const v = b[o + 9] * ax + b[o + 10] * ay + b[o + 11] * az
    const dv = b[o + 9] * dx + b[o + 10] * dy + b[o + 11] * dz
    return !(v < b[o + 12] ? v + dv < b[o + 12] : v > b[o + 13] && v + dv > b[o + 13])
  }
}

/** Reflections before an edge that are followed. */
const MAX_REFLECTIONS = 2
/** Rays along one side of the rectangle about the target that look for planes which reflect (decision 015). */
const SEARCH_RAYS = 48
/** Reflected waves kept, those that most rays follow: a curved body has one for each facet. */
const MAX_WAVES = 64
/** Turn of the search rays' lattice against the polarisation basis [rad], so that none runs along an edge. */
const TURN = 0.3
/** An image by one reflection that no ray follows counts where so many rays meet its mirror, and its beam holds an edge: the light may run along the face behind. */
const MIRROR_RAYS = 4
/** Where rays aim at a large face, in parts of its box: the same mirrored, and none in the middle, where a ridge may be. */
const AIMS_ACROSS = [0.13, 0.37, 0.63, 0.87]
const AIMS_ALONG = [0.17, 0.48, 0.81]
/** Of a ray of the lattice, which meets what it may. */
const ANY_FACE = { weight: 1, face: -1 }
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
const directWave = ({ r, thetaHat, phiHat }: Direction): LightWave => ({
  r,
  thetaHat,
  phiHat,
  path: 0,
  planes: [],
})

/** A reflected wave, how many rays of it meet something, and how many its last mirror. */
interface Found {
  wave: LightWave
  rays: number
  mirrored: number
}

/**
 * Number of each facet's plane: equal for facets of one plane, to the precision of meshes. Facets of a face have that of its largest:
 * rounded one by one, half of the faces of a mesh in single precision came apart.
 *
 * @param faceOf  see `EdgeScene`
 */
export function facetPlaneNumbers(rays: RayScene, faceOf: Uint32Array): Int32Array {
  const { normals, diagonal, count } = rays
  const numbers = new Int32Array(count)
  const largest = largestFacets(rays, faceOf)
  // Open addressing: slots hold a facet of the plane, or -1.
  const slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * count + 2))).fill(-1)
  const keys = new Int32Array(4 * count)
  let planes = 0
  for (let f = 0; f < count; f++) {
    const at = 4 * f
    const like = 4 * largest[faceOf[f]]
    const first =
      Math.abs(normals[like]) > 1e-6
        ? normals[like]
        : Math.abs(normals[like + 1]) > 1e-6
          ? normals[like + 1]
          : normals[like + 2]
    const sign = first < 0 ? -1e5 : 1e5
    for (let c = 0; c < 4; c++)
      keys[at + c] = Math.round((sign * normals[like + c]) / (c === 3 ? diagonal : 1))
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
  /** Large faces: seen nearly edge-on these slip through the lattice of rays. */
  private readonly large: number[][]
  /** The facet whose plane reflects for all of a face, by face. */
  private readonly largest: number[]

  /**
   * @param planes  see `facetPlaneNumbers`
   * @param faceOf  see `EdgeScene`
   */
  constructor(
    private readonly rays: RayScene,
    private readonly planes: Int32Array,
    private readonly faceOf: Uint32Array,
  ) {
    this.caster = new RayCaster(rays)
    this.large = largeFaces(rays, faceOf)
    this.largest = largestFacets(rays, faceOf)
  }

  /** The transmitter's wave, then those of its images that meet something, those of most rays first, and those that may light an edge. */
  find(tx: Direction, beams: Beams): LightWave[] {
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
    for (const facets of this.large) this.aimAt(facets, direct, found)
    const all = [...found.values()]
    const list = all.filter(({ rays }) => rays > 0).sort((a, b) => b.rays - a.rays)
    if (list.length < MAX_WAVES) {
      const others = all.filter(
        ({ wave, rays, mirrored }) => wave.planes.length === 1 && rays === 0 && mirrored >= MIRROR_RAYS,
      )
      beams.set(others.map(({ wave }) => wave))
      list.push(...others.filter((_, w) => beams.mayLightAny(w)))
    }
    return [direct, ...list.slice(0, MAX_WAVES).map(({ wave }) => wave)]
  }

  /** Follows rays to a lattice over the box of a face, across and along the light in its plane, where they meet that face first. */
  private aimAt(facets: number[], direct: LightWave, found: Map<string, Found>): void {
    const { normals, vertices, diagonal } = this.rays
    const { r } = direct
    const face = this.faceOf[facets[0]]
    const [nx, ny, nz, height] = normals.subarray(4 * this.largest[face], 4 * this.largest[face] + 4)
    const n: Vec3 = [nx, ny, nz]
    const across = cross(n, r)
    const sine = Math.hypot(...across)
    // Seen face-on, it sends all light back.
    if (sine < GRAZING_COSINE) return
    const u = across.map((x) => x / sine) as Vec3
    const v = cross(n, u)
    let [u0, u1, v0, v1] = [Infinity, -Infinity, Infinity, -Infinity]
    for (const f of facets)
      for (let a = 9 * f; a < 9 * f + 9; a += 3) {
        const p: Vec3 = [vertices[a], vertices[a + 1], vertices[a + 2]]
        u0 = Math.min(u0, dot(u, p))
        u1 = Math.max(u1, dot(u, p))
        v0 = Math.min(v0, dot(v, p))
        v1 = Math.max(v1, dot(v, p))
      }
    for (const i of AIMS_ACROSS)
      for (const j of AIMS_ALONG) {
        const [atU, atV] = [u0 + i * (u1 - u0), v0 + j * (v1 - v0)]
        const start = r.map((x, c) => height * n[c] + atU * u[c] + atV * v[c] + 2 * diagonal * x) as Vec3
        this.follow(start, direct, found, { weight: MIRROR_RAYS, face })
      }
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

  /** Follows a ray of the wave, which counts `weight` at mirrors and may have to meet a face first, and counts for each of its images the rays that meet something again. */
  private follow(p: Vec3, wave: LightWave, found: Map<string, Found>, { weight, face } = ANY_FACE): void {
    const { caster, planes } = this
    const d = wave.r.map((x) => -x) as Vec3
    let from = -1
    let entry: Found | undefined
    for (let m = 0; caster.nearest(p[0], p[1], p[2], d[0], d[1], d[2], from); m++) {
      if (!conducts(this.rays, caster.facet) || this.isEdgeOn(caster.facet, d)) return
      if (m === 0 && face >= 0 && this.faceOf[caster.facet] !== face) return
      if (entry) entry.rays++
      if (m === MAX_REFLECTIONS) return
      from = caster.facet
      wave = entry?.wave ?? wave
      const key = [planes[from], ...wave.planes].join()
      entry = found.get(key)
      if (!entry) found.set(key, (entry = { wave: this.reflected(wave, from), rays: 0, mirrored: 0 }))
      entry.mirrored += weight
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
    const at = 4 * this.largest[this.faceOf[facet]]
    const [nx, ny, nz, offset] = this.rays.normals.subarray(at, at + 4)
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

  /** Moves p to the caster's last hit, a little above the facet, and reflects d in its face's plane. */
  private bounce(p: Vec3, d: Vec3): void {
    const { caster, rays } = this
    const at = 4 * this.largest[this.faceOf[caster.facet]]
    const n = rays.normals
    const nd = n[at] * d[0] + n[at + 1] * d[1] + n[at + 2] * d[2]
    const lift = (nd < 0 ? DOUBLE_OFFSET : -DOUBLE_OFFSET) * rays.diagonal
    for (let c = 0; c < 3; c++) {
      p[c] += caster.t * d[c] + lift * n[at + c]
      d[c] -= 2 * nd * n[at + c]
    }
  }
}

/** Area of a facet [m2]. */
function areaOf({ vertices: v }: RayScene, f: number): number {
  const side = (to: number): Vec3 => [v[to] - v[9 * f], v[to + 1] - v[9 * f + 1], v[to + 2] - v[9 * f + 2]]
  return 0.5 * Math.hypot(...cross(side(9 * f + 3), side(9 * f + 6)))
}

/** The largest facet of each face, the one of the most certain plane. */
function largestFacets(rays: RayScene, faceOf: Uint32Array): number[] {
  const largest: number[] = []
  const areas: number[] = []
  for (let f = 0; f < rays.count; f++) {
    const area = areaOf(rays, f)
    if (area <= areas[faceOf[f]]) continue
    areas[faceOf[f]] = area
    largest[faceOf[f]] = f
  }
  return largest
}

/** Plane faces as large as a cell of the search rays' lattice, as lists of their facets: however a face is cut into facets, it is the same. */
function largeFaces(rays: RayScene, faceOf: Uint32Array): number[][] {
  const areas: number[] = []
  const facets: number[][] = []
  for (let f = 0; f < rays.count; f++) {
    areas[faceOf[f]] = (areas[faceOf[f]] ?? 0) + areaOf(rays, f)
    ;(facets[faceOf[f]] ??= []).push(f)
  }
  return facets.filter((_, face) => areas[face] >= (rays.diagonal / SEARCH_RAYS) ** 2)
}

/** What each image of one direction lights of each edge, found when first asked for. One object per thread and direction. */
export class ImageLight {
  /** The wave from the direction, then its images. */
  waves: LightWave[] = []
  private readonly images: ImageWaves
  private readonly beams: Beams
  private sampled!: SampledLight
  private segmentLength = NaN
  private direction: Direction | null = null
  private wave!: LightWave
  private readonly known = new Map<number, number[]>()
  private readonly reached = (x: number, y: number, z: number): boolean =>
    this.images.reaches(this.wave, x, y, z, this.direction!.r)

  /**
   * @param following   whether images are looked for at all
   * @param shortest    wavelength [m]
   * @param size        see `RayScene.size`
   * @param planes      see `facetPlaneNumbers`; another light's of the same target
   */
  constructor(
    private readonly scene: EdgeScene,
    rays: RayScene,
    private readonly following: boolean,
    private readonly shortest: number,
    private readonly size: number,
    readonly planes = facetPlaneNumbers(rays, scene.faceOf),
  ) {
    this.images = new ImageWaves(rays, planes, scene.faceOf)
    this.beams = new Beams(scene, rays, planes)
  }

  /** Takes a direction. @param segmentLength  longest segment of first order [m] */
  set(direction: Direction, segmentLength: number): void {
    if (segmentLength !== this.segmentLength)
      this.sampled = new SampledLight(this.scene, segmentLength, this.shortest, this.size)
    else if (this.direction && same(this.direction, direction)) return
    this.segmentLength = segmentLength
    this.direction = direction
    this.waves = this.following ? this.images.find(direction, this.beams) : [directWave(direction)]
    this.beams.set(this.waves)
    this.known.clear()
  }

  /** Whether wave w may light a part of edge e at all: most images light few edges. */
  mayLight(e: number, w: number): boolean {
    return this.waves[w].planes.length === 0 || this.beams.mayLight(e, w)
  }

  /** Parts of edge e that image w lights, from and to in turn [m from its start]. */
  parts(e: number, w: number): number[] {
    const { scene, sampled, waves, known } = this
    if (!this.beams.mayLight(e, w)) return NONE
    const key = e * waves.length + w
    let parts = known.get(key)
    if (parts) return parts
    this.wave = waves[w]
    sampled.find(e, awayFromFaces(scene, e, [0, 0, 0], this.wave.r), this.reached)
    known.set(key, (parts = sampled.ends.slice()))
    return parts
  }
}

const NONE: number[] = []

const same = (a: Direction, b: Direction): boolean => a.thetaDeg === b.thetaDeg && a.phiDeg === b.phiDeg
