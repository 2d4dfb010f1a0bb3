import { addTo } from '../../math/partition.js'
import { DOUBLE_OFFSET, GRAZING_COSINE, RayCaster, type RayScene } from '../../rays/index.js'
import { type Direction, dot, type Vec3 } from '../../scene/index.js'
import { areaOf, conducts, type EdgeScene, pointOn, vectorAt } from '../geometry/edge-scene.js'
import { Beam } from './beams.js'
import { type Mirrors, mirrorsOf, UNEVEN } from './mirrors.js'
import { awayFromFaces } from './segments.js'

/** Points of an edge at which the light is looked for, so many Fresnel zones of the target's size apart at most; */
const SPACING_ZONES = 0.2
/** parts shorter than so many segments of first order are looked at in the middle alone; */
const SHORT = 0.05
/** its boundaries are found to within this part of the longest segment of first order; */
const BOUNDARY = 0.02
/** the outermost points lie this part of their distance from the edge's ends. */
const NEAR_END = 0.02

/** Both mirrors of an image by two reflections are faces of at least this part of the target's squared size (decision 015). */
const LEAST_MIRROR = 4e-4
/** A mirror counts where a point of it is lit; they are at most this part of the target's size apart. */
const MIRROR_POINTS = 0.01
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

/** A part of an edge in the beam of a wave [m from the edge's start]. */
interface BeamPart {
  wave: LightWave
  e: number
  from: number
  to: number
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

/**
 * Finds the images of a plane wave by one reflection, in all faces, and by two, in plane faces that are not small; and the parts of edges in
 * their beams. One object per thread.
 */
export class ImageWaves {
  private readonly caster: RayCaster
  /** The facet whose plane reflects for all of a face, by face. */
  private readonly largest: number[]
  private readonly mirrors: Mirrors
  private readonly first: Beam
  private readonly second: Beam
  /** Whether facets have light on their inner side: not in a closed body. */
  private readonly isOpen: boolean

  /** @param planes  see `facetPlaneNumbers` */
  constructor(
    private readonly scene: EdgeScene,
    private readonly rays: RayScene,
    private readonly planes: Int32Array,
  ) {
    this.caster = new RayCaster(rays)
    this.largest = largestFacets(rays, scene.faceOf)
    this.mirrors = mirrorsOf(scene, rays, this.largest)
    this.first = new Beam(scene, rays, this.mirrors)
    this.second = new Beam(scene, rays, this.mirrors)
    const { faces } = scene
    this.isOpen = faces.some((face, i) => i % 2 === 0 && face === faces[i + 1])
  }

  /** The parts of edges in the beams of the images of the transmitter's wave. */
  find(tx: Direction): BeamPart[] {
    const { rays, planes, first, second } = this
    const { vertices, facets, areas } = this.mirrors
    const { faceOf } = this.scene
    const least = LEAST_MIRROR * rays.size * rays.size
    const direct = directWave(tx)
    const parts: BeamPart[] = []
    if (this.scene.count === 0) return parts
    const byPlane = new Map<number, LightWave>()
    // Of a face that is lit anywhere all mirrors count: what they light is looked at again, however the face is cut.
    const lit = new Uint8Array(areas.length)
    for (let m = 0; m < facets.length; m++) {
      const f = facets[m]
      if (lit[faceOf[f]] === 0 && this.mayReflect(f, direct.r))
        lit[faceOf[f]] = this.isLit(direct, m, vertices, 9 * m, 3, tx.r) ? 1 : 0
    }
    for (let m = 0; m < facets.length; m++) {
      const f = facets[m]
      if (lit[faceOf[f]] === 0 || !this.mayReflect(f, direct.r)) continue
      this.aim(first, vertices, 9 * m, 3, direct.r, f)
      const image = (): LightWave => this.imageOf(direct, f, planes[f], byPlane)
      this.addEdges(first, image, parts)
      if (areas[faceOf[f]] < least) continue
      const wave = image()
      const near = first.mirrorsNear()
      for (let i = 0; i < near.count; i++) {
        const g = facets[near.found[i]]
        if (areas[faceOf[g]] < least || planes[g] === planes[f] || !this.mayReflect(g, wave.r)) continue
        const corners = first.pieceOf(near.found[i])
        if (corners === 0 || !this.isLit(wave, near.found[i], first.piece, 0, corners, tx.r)) continue
        const key = planes[f] * rays.count + planes[g] + rays.count
        this.aim(second, first.piece, 0, corners, wave.r, g)
        this.addEdges(second, () => this.imageOf(wave, g, key, byPlane), parts)
      }
    }
    return parts
  }

  /** Whether a facet has light from r, if nothing hides it. */
  private mayReflect(f: number, r: Vec3): boolean {
    const n = this.rays.normals
    const cosine = n[4 * f] * r[0] + n[4 * f + 1] * r[1] + n[4 * f + 2] * r[2]
    return (cosine > GRAZING_COSINE || (this.isOpen && cosine < -GRAZING_COSINE)) && conducts(this.rays, f)
  }

  /** Whether a wave reaches a point of a convex piece of mirror m: of triangles about its middle, cut until they are small. */
  private isLit(
    wave: LightWave,
    m: number,
    corners: Float64Array,
    at: number,
    count: number,
    tx: Vec3,
  ): boolean {
    const { rays, mirrors, scene } = this
    const f = mirrors.facets[m]
    const n = rays.normals.subarray(4 * f, 4 * f + 3)
    const above = m < mirrors.outlined ? UNEVEN * scene.tolerance : DOUBLE_OFFSET * rays.diagonal
    const lift = (dot(n as unknown as Vec3, wave.r) < 0 ? -1 : 1) * above
    const corner = (i: number, c: number): number => corners[at + 3 * (i % count) + c]
    const middle = [0, 1, 2].map((c) => {
      let sum = 0
      for (let i = 0; i < count; i++) sum += corner(i, c)
      return sum / count + lift * n[c]
    })
    const [x, y, z] = middle
    if (this.reaches(wave, x, y, z, tx)) return true
    for (let i = 0; i < count; i++) {
      const u = middle.map((m, c) => corner(i, c) + lift * n[c] - m)
      const v = middle.map((m, c) => corner(i + 1, c) + lift * n[c] - m)
      const longest = Math.max(Math.hypot(u[0], u[1], u[2]), Math.hypot(v[0], v[1], v[2]))
      const cuts = Math.ceil(longest / (MIRROR_POINTS * rays.size))
      for (let a = 0; a < cuts; a++)
        for (let b = 0; b < cuts - a; b++)
          for (let half = 1; half < (a + b < cuts - 1 ? 3 : 2); half++) {
            const s = (a + half / 3) / cuts
            const t = (b + half / 3) / cuts
            const reached = this.reaches(
              wave,
              x + s * u[0] + t * v[0],
              y + s * u[1] + t * v[1],
              z + s * u[2] + t * v[2],
              tx,
            )
            if (reached) return true
          }
    }
    return false
  }

  private imageOf(wave: LightWave, f: number, key: number, known: Map<number, LightWave>): LightWave {
    let image = known.get(key)
    if (image) return image
    image = { ...imageIn(wave, this.planeOf(f)), planes: [this.planes[f], ...wave.planes] }
    known.set(key, image)
    return image
  }

  /** Aims a beam that leaves a piece of facet f, lit from r. */
  private aim(beam: Beam, corners: Float64Array, at: number, count: number, r: Vec3, f: number): void {
    const { normal: n, offset } = this.planeOf(f)
    const sign = dot(n, r) < 0 ? -1 : 1
    const [x, y, z] = mirrored(r, n)
    beam.set(corners, at, count, [-x, -y, -z], [sign * n[0], sign * n[1], sign * n[2], sign * offset])
  }

  /** Adds the edges in a beam. @param wave  gives what it carries: most beams meet no edge */
  private addEdges(beam: Beam, wave: () => LightWave, parts: BeamPart[]): void {
    const near = beam.edgesNear()
    for (let i = 0; i < near.count; i++) {
      const e = near.found[i]
      if (beam.holdsEdge(e)) parts.push({ wave: wave(), e, from: beam.from, to: beam.to })
    }
  }

  /** Whether the wave reaches the point p: the ray back from p meets its planes, and then nothing. */
  reaches(wave: LightWave, px: number, py: number, pz: number, tx: Vec3): boolean {
    const { caster, planes } = this
    if (wave.planes.length === 0) return !caster.occluded(px, py, pz, wave.r[0], wave.r[1], wave.r[2], -1)
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

  /** The plane that reflects for all of a facet's face. */
  private planeOf(f: number): Plane {
    return planeOf(this.rays, this.largest[this.scene.faceOf[f]])
  }

  /** Moves p to the caster's last hit, a little above the facet, and reflects d in its face's plane. */
  private bounce(p: Vec3, d: Vec3): void {
    const { caster, rays } = this
    const at = 4 * this.largest[this.scene.faceOf[caster.facet]]
    const n = rays.normals
    const nd = n[at] * d[0] + n[at + 1] * d[1] + n[at + 2] * d[2]
    const lift = (nd < 0 ? DOUBLE_OFFSET : -DOUBLE_OFFSET) * rays.diagonal
    for (let c = 0; c < 3; c++) {
      p[c] += caster.t * d[c] + lift * n[at + c]
      d[c] -= 2 * nd * n[at + c]
    }
  }
}

/** A plane: unit normal, and normal . point [m]. */
export interface Plane {
  normal: Vec3
  offset: number
}

/** The plane of a facet. */
export const planeOf = ({ normals }: RayScene, f: number): Plane => ({
  normal: vectorAt(normals, 4 * f),
  offset: normals[4 * f + 3],
})

/** A direction as a plane with the normal n reflects it. */
export function mirrored(r: Vec3, n: Vec3): Vec3 {
  const nr = 2 * dot(n, r)
  return [r[0] - nr * n[0], r[1] - nr * n[1], r[2] - nr * n[2]]
}

/** A wave's image in the plane of a perfect conductor: E_refl = 2n(n.E) - E, in phase with the wave on the plane. */
export function imageIn<W extends Omit<LightWave, 'planes'>>(wave: W, { normal, offset }: Plane): W {
  const field = (e: Vec3): Vec3 => mirrored(e, normal).map((x) => -x) as Vec3
  return {
    ...wave,
    r: mirrored(wave.r, normal),
    thetaHat: field(wave.thetaHat),
    phiHat: field(wave.phiHat),
    path: wave.path + 2 * offset * dot(normal, wave.r),
  }
}

/** The largest facet of each face, the one of the most certain plane. */
function largestFacets(rays: RayScene, faceOf: Uint32Array): number[] {
  const largest: number[] = []
  const areas: number[] = []
  for (let f = 0; f < rays.count; f++) {
    const area = areaOf(rays.vertices, 9 * f)
    if (area <= areas[faceOf[f]]) continue
    areas[faceOf[f]] = area
    largest[faceOf[f]] = f
  }
  return largest
}

/** What each image of one direction lights of each edge. One object per thread and direction. */
export class ImageLight {
  /** The wave from the direction, then its images that light an edge. */
  waves: LightWave[] = []
  private readonly images: ImageWaves
  private segmentLength = NaN
  /** Of the points at which light is looked for on an edge, at most [m]. */
  private spacing = NaN
  private direction: Direction | null = null
  /** The wave that is looked for, the edge, and the way from its points to where it is looked for, a little off the faces [m]. */
  private wave!: LightWave
  private edge = 0
  private lift: Vec3 = [NaN, NaN, NaN]
  /** What is lit, by edge and number of the wave. */
  private readonly known: Map<number, number[]>[]

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
    this.images = new ImageWaves(scene, rays, planes)
    this.known = Array.from({ length: scene.count }, () => new Map<number, number[]>())
  }

  /** Takes a direction. @param segmentLength  longest segment of first order [m] */
  set(direction: Direction, segmentLength: number): void {
    if (segmentLength === this.segmentLength && this.direction && same(this.direction, direction)) return
    this.segmentLength = segmentLength
    this.spacing = Math.max(
      segmentLength,
      SPACING_ZONES * Math.sqrt(this.shortest * (this.size + this.shortest)),
    )
    this.direction = direction
    this.waves = [directWave(direction)]
    for (const lit of this.known) lit.clear()
    if (this.following) this.follow(this.images.find(direction))
  }

  /** Keeps of the parts of edges in beams what is lit. */
  private follow(parts: BeamPart[]): void {
    const byWave = new Map<LightWave, BeamPart[]>()
    for (const part of parts) addTo(byWave, part.wave, part)
    // Rounding parts facets side by side.
    const gap = 4 * this.scene.tolerance
    for (const [wave, list] of byWave) {
      this.wave = wave
      list.sort((a, b) => a.e - b.e || a.from - b.from)
      for (let i = 0; i < list.length;) {
        const { e } = list[i]
        const lit: number[] = []
        this.edge = e
        this.lift = awayFromFaces(this.scene, e, [0, 0, 0], wave.r)
        while (i < list.length && list[i].e === e) {
          // Facets of one plane side by side are one mirror.
          let { from, to } = list[i++]
          for (; i < list.length && list[i].e === e && list[i].from <= to + gap; i++)
            to = Math.max(to, list[i].to)
          this.sample(from, to, lit)
        }
        if (lit.length === 0) continue
        if (this.waves.at(-1) !== wave) this.waves.push(wave)
        this.known[e].set(this.waves.length - 1, lit)
      }
    }
  }

  /**
   * Adds what of a part of the edge is lit to `ends`, from and to in turn [m from the edge's start]: second order looks for it at points, since its
   * terms vary over Fresnel zones, not wavelengths.
   */
  private sample(start: number, end: number, ends: number[]): void {
    const whole = end - start
    if (whole <= SHORT * this.segmentLength) {
      if (this.isLit(start + 0.5 * whole)) ends.push(start, end)
      return
    }
    const count = Math.max(2, Math.ceil(whole / this.spacing - 1e-9))
    const step = whole / count
    let at = start + NEAR_END * step
    let before = this.isLit(at)
    if (before) ends.push(start)
    for (let i = 0; i <= count; i++) {
      const to = i < count ? start + (i + 0.5) * step : end - NEAR_END * step
      const now = this.isLit(to)
      if (now !== before) ends.push(this.boundary(at, to, before))
      before = now
      at = to
    }
    if (before) ends.push(end)
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
    const [x, y, z] = pointOn(this.scene, this.edge, t)
    return this.images.reaches(this.wave, x + lift[0], y + lift[1], z + lift[2], this.direction!.r)
  }

  /** Whether wave w lights a part of edge e: most images light few edges. */
  mayLight(e: number, w: number): boolean {
    return w === 0 || this.known[e].has(w)
  }

  /** Parts of edge e that image w lights, from and to in turn [m from its start]. */
  parts(e: number, w: number): number[] {
    return this.known[e].get(w) ?? NONE
  }
}

const NONE: number[] = []

const same = (a: Direction, b: Direction): boolean =>
  [0, 1, 2].every((c) => a.r[c] === b.r[c] && a.thetaHat[c] === b.thetaHat[c])
