import { DOUBLE_OFFSET, RayCaster, type RayScene } from '../../rays/index.js'
import { batchVertices, circumradius, coneTangent, type LaunchBatch, vertexDirection } from './geodesic.js'
import { nearRay, type PropagationSetup, RAY } from '../setup.js'

/** How far beyond its wall a cone that all but grazes it is followed, in lengths of the ray. */
const MOST_REACH = 4
/** Cones are wider by this part, so that rounding never keeps a receiver from a ray that it belongs to. */
const CONE_MARGIN = 1e-3

/**
 * The rays of one batch, traced by specular reflection: of each the facets met and how far its segments reach, and the
 * receivers in its cone. A cone's axis passes a receiver by at most the cone's radius there; where along the ray it does is
 * given by the ray unfolded into one straight line from an image of the transmitter.
 */
export class RayBatch {
  /** Facets met by each ray, maxReflections places a ray. */
  readonly met: Int32Array
  /** Reflections of each ray. */
  readonly counts: Int32Array
  /** Ends of each ray's segments along the unfolded ray [m], widened at walls that are met aslant; maxReflections + 1 places a ray. */
  readonly from: Float64Array
  readonly to: Float64Array
  /** Tangent of each ray's cone. */
  readonly tangents: Float64Array
  /** Receivers in cones: ray, reflections before, slot of the receiver. */
  candidates = new Int32Array(3 * 1024)
  candidateCount = 0
  /** Segments traced, and rays that slipped through a seam of the mesh (they are followed no further). */
  segments = 0
  escaped = 0
  private readonly caster: RayCaster
  private readonly words: Uint32Array
  private readonly ray = new Float64Array(3)
  private readonly exit = new Float64Array(2)
  /** Of a segment: the image of the transmitter that it comes from, and its direction. */
  private readonly image = new Float64Array(3)
  private readonly direction = new Float64Array(3)
  /** What `near` needs of the segment in question: `RAY`, the squared tangent of the cone, the plane of the wall met last. */
  private readonly query = new Float64Array(16)
  private rayNumber = 0
  private reflections = 0

  /**
   * @param loose  the scene with facets enlarged more: what a ray that met nothing meets there it slipped past
   */
  constructor(
    private readonly setup: PropagationSetup,
    private readonly loose: RayCaster,
    private readonly batch: LaunchBatch,
  ) {
    const rays = batchVertices(batch)
    const most = setup.maxReflections
    this.met = new Int32Array(rays * most)
    this.counts = new Int32Array(rays)
    this.from = new Float64Array(rays * (most + 1))
    this.to = new Float64Array(rays * (most + 1))
    this.tangents = new Float64Array(rays)
    this.caster = new RayCaster(setup.scene)
    const { nodes } = setup.receivers
    this.words = new Uint32Array(nodes.buffer, nodes.byteOffset, nodes.length)
  }

  /** Traces the rays; with exact reception also lists the receivers in their cones. */
  trace(): void {
    const { n, face, j0, j1 } = this.batch
    const spheres = this.setup.reception === 'spheres'
    let ray = 0
    for (let j = j0; j <= j1; j++)
      for (let i = 0; i + j <= n; i++) {
        vertexDirection(n, face, i, j, this.ray)
        const sine = spheres ? circumradius(n, face, i, j) : 0
        this.tangents[ray] = spheres ? sine / Math.sqrt(1 - sine * sine) : coneTangent(n, face, i, j)
        this.traceRay(ray++)
      }
  }

  private traceRay(number: number): void {
    const { scene, maxReflections, reception } = this.setup
    const { caster, met, from, to, exit, image, direction } = this
    const spheres = reception === 'spheres'
    const tangent = spheres ? 0 : this.tangents[number]
    const lift = DOUBLE_OFFSET * scene.diagonal
    let [ox, oy, oz] = this.setup.transmitter
    let [dx, dy, dz] = this.ray
    let length = 0
    let skip = -1
    let slant = 0
    for (let b = 0; ; b++) {
      this.segments++
      const hit = caster.nearest(ox, oy, oz, dx, dy, dz, skip)
      this.leave(ox, oy, oz, dx, dy, dz)
      const ends = !hit || caster.t > exit[0]
      const facet = caster.facet
      const n = 4 * facet
      const cosine = ends
        ? exit[1]
        : Math.abs(scene.normals[n] * dx + scene.normals[n + 1] * dy + scene.normals[n + 2] * dz)
      const end = length + (ends ? exit[0] : caster.t)
      const endSlant = tangent * Math.sqrt(Math.max(0, 1 - cosine * cosine))
      const at = number * (maxReflections + 1) + b
      from[at] = length / (1 + slant)
      to[at] =
        endSlant < (1 - 1 / MOST_REACH) * cosine ? (end * cosine) / (cosine - endSlant) : MOST_REACH * end
      direction[0] = dx
      direction[1] = dy
      direction[2] = dz
      if (!spheres) {
        image[0] = ox - length * dx
        image[1] = oy - length * dy
        image[2] = oz - length * dz
        this.list(number, b, tangent * (1 + CONE_MARGIN), image, direction, skip)
      }
      if (ends && !hit && this.slipped([ox, oy, oz], direction, skip)) this.escaped++
      if (ends || b === maxReflections) {
        this.counts[number] = b
        return
      }
      const side = scene.normals[n] * dx + scene.normals[n + 1] * dy + scene.normals[n + 2] * dz > 0 ? -1 : 1
      const nx = side * scene.normals[n]
      const ny = side * scene.normals[n + 1]
      const nz = side * scene.normals[n + 2]
      const nd = nx * dx + ny * dy + nz * dz
      const t = (side * scene.normals[n + 3] - nx * ox - ny * oy - nz * oz) / nd
      ox += t * dx + lift * nx
      oy += t * dy + lift * ny
      oz += t * dz + lift * nz
      dx -= 2 * nd * nx
      dy -= 2 * nd * ny
      dz -= 2 * nd * nz
      met[number * maxReflections + b] = facet
      length += t
      skip = facet
      slant = cosine > 0 ? endSlant / cosine : Infinity
    }
  }

  /**
   * Lists the receivers in a ray's cone between the ends of its segment after b reflections, in front of the wall met last.
   * @param image  of the transmitter, that the segment comes from
   * @param d  its direction, unit
   * @param wall  facet met last; -1: none
   */
  list(ray: number, b: number, tangent: number, image: Float64Array, d: Float64Array, wall: number): void {
    const { query } = this
    const { maxReflections, receivers, scene } = this.setup
    const at = ray * (maxReflections + 1) + b
    const to = this.to[at]
    this.rayNumber = ray
    this.reflections = b
    query.set(image, RAY.origin)
    query.set(d, RAY.direction)
    query[RAY.from] = this.from[at]
    query[RAY.to] = to
    query[8] = tangent ** 2
    if (wall >= 0) {
      const n = 4 * wall
      const { normals } = scene
      const side = normals[n] * d[0] + normals[n + 1] * d[1] + normals[n + 2] * d[2] > 0 ? 1 : -1
      for (let a = 0; a < 4; a++) query[9 + a] = side * scene.normals[n + a]
    }
    nearRay(receivers, this.words, query, tangent * to, this.near)
  }

  private readonly near = (slot: number): void => {
    const { query: q, reflections } = this
    const { points } = this.setup.receivers
    const x = points[3 * slot]
    const y = points[3 * slot + 1]
    const z = points[3 * slot + 2]
    const vx = x - q[0]
    const vy = y - q[1]
    const vz = z - q[2]
    const along = vx * q[3] + vy * q[4] + vz * q[5]
    if (along < q[RAY.from] || along > q[RAY.to]) return
    if (vx * vx + vy * vy + vz * vz - along * along > q[8] * along * along) return
    if (reflections > 0 && !(q[9] * x + q[10] * y + q[11] * z > q[12])) return
    const at = 3 * this.candidateCount++
    if (at + 3 > this.candidates.length) {
      const larger = new Int32Array(2 * this.candidates.length)
      larger.set(this.candidates)
      this.candidates = larger
    }
    this.candidates[at] = this.rayNumber
    this.candidates[at + 1] = reflections
    this.candidates[at + 2] = slot
  }

  /** Whether a ray that met nothing slipped past a facet by less than rounding, at an edge that is no rim of the mesh. */
  private slipped([ox, oy, oz]: number[], [dx, dy, dz]: Float64Array, skip: number): boolean {
    const { loose, exit } = this
    if (!loose.nearest(ox, oy, oz, dx, dy, dz, skip) || loose.t >= exit[0]) return false
    const v = this.setup.scene.vertices.subarray(9 * loose.facet, 9 * loose.facet + 9)
    const n = this.setup.scene.normals.subarray(4 * loose.facet, 4 * loose.facet + 3)
    const p = [ox + loose.t * dx, oy + loose.t * dy, oz + loose.t * dz]
    let beyond = 0
    for (let i = 0; i < 3; i++) {
      const [a, b] = [3 * i, 3 * ((i + 1) % 3)]
      const e = [v[b] - v[a], v[b + 1] - v[a + 1], v[b + 2] - v[a + 2]]
      const q = [p[0] - v[a], p[1] - v[a + 1], p[2] - v[a + 2]]
      const inside =
        n[0] * (e[1] * q[2] - e[2] * q[1]) +
        n[1] * (e[2] * q[0] - e[0] * q[2]) +
        n[2] * (e[0] * q[1] - e[1] * q[0])
      if (inside < 0) beyond |= 1 << i
    }
    return (beyond & this.setup.rims[loose.facet]) === 0
  }

  /** Distance at which a ray leaves the region, and its cosine to the side that it leaves by, into `exit`. */
  private leave(ox: number, oy: number, oz: number, dx: number, dy: number, dz: number): void {
    const { min, max } = this.setup.region
    const x = dx === 0 ? Infinity : ((dx > 0 ? max[0] : min[0]) - ox) / dx
    const y = dy === 0 ? Infinity : ((dy > 0 ? max[1] : min[1]) - oy) / dy
    const z = dz === 0 ? Infinity : ((dz > 0 ? max[2] : min[2]) - oz) / dz
    const t = Math.min(x, y, z)
    this.exit[0] = Math.max(0, t)
    this.exit[1] = Math.abs(t === x ? dx : t === y ? dy : dz)
  }
}

/** Facets of `looseCaster` grow by this part of the box diagonal. */
const LOOSE_TOLERANCE = 1e-9

/** A caster that meets facets a little beyond their rims. @param planes see `facetPlanes` */
export const looseCaster = (
  scene: RayScene,
  planes: (scene: RayScene, tolerance: number) => Float64Array,
): RayCaster => new RayCaster({ ...scene, planes: planes(scene, LOOSE_TOLERANCE) })
