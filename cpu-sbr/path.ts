import { DOUBLE_OFFSET, HASH_START, hashStep, RayCaster, type RayScene } from '../rays/index.js'
import { PATH, type PathTree } from './path-tree.js'

/** Mixed into the key of a path of more bounces than are compared. */
const TRUNCATED = 0x9e3779b9

/** Traces the rays of one incidence by specular reflection and keeps the last path: the facets met and what identifies the path. */
export class PathTracer {
  /** Facets met, in order. */
  readonly facets: Int32Array
  /** Paths of the tree up to each of them; good until the next ray. */
  readonly paths: Int32Array
  /** Bounces of the last path. */
  count = 0
  /** Identifies the sequence of surfaces, as far as tubes are compared, and whether it goes on; 0 for a ray that met nothing. */
  surfaceKey = NaN
  /** Identifies the sequence of the facets' normals, as far. */
  normalsKey = NaN
  /** Whether the ray would meet the target once more: the limit cut it off. */
  cutOff = false
  /** Whether the path has more bounces than are compared. */
  goesOn = false
  /** 1 for each hit that the receiver sees (the first always is), else 0. Set by `findVisible`. */
  readonly visible: Uint8Array
  /** Hits, lifted off their facets, x y z each. */
  readonly hits: Float64Array
  /** Unit normals on the side that was met. */
  private readonly sides: Float64Array
  private readonly caster: RayCaster
  private readonly lift: number
  private readonly generation: number

  /**
   * @param tree  paths of the incidence, which it is aimed at until the last ray is traced
   * @param d  direction of incidence, unit
   * @param compared  bounces that the keys identify, at most `maxBounces`
   */
  constructor(
    scene: RayScene,
    private readonly tree: PathTree,
    private readonly d: ArrayLike<number>,
    private readonly maxBounces: number,
    private readonly compared = maxBounces,
  ) {
    this.facets = new Int32Array(maxBounces)
    this.visible = new Uint8Array(maxBounces)
    this.paths = new Int32Array(maxBounces)
    this.hits = new Float64Array(3 * maxBounces)
    this.sides = new Float64Array(3 * maxBounces)
    this.caster = new RayCaster(scene)
    this.lift = DOUBLE_OFFSET * scene.diagonal
    this.generation = tree.generation
  }

  /**
   * Follows the incident ray from (ox, oy, oz) over at most `most` bounces; `first`: the facet that it meets first, -1 for none, where
   * known.
   */
  trace(ox: number, oy: number, oz: number, first?: number, most = this.maxBounces): void {
    const { size, onward, normal, offset, cosine } = PATH
    const { tree, facets, paths, hits, sides, compared, lift } = this
    if (tree.generation !== this.generation)
      throw new Error('the tree of paths has been aimed at another incidence')
    let dx = this.d[0]
    let dy = this.d[1]
    let dz = this.d[2]
    this.cutOff = false
    this.goesOn = false
    if (first === undefined) first = this.caster.nearest(ox, oy, oz, dx, dy, dz, -1) ? this.caster.facet : -1
    if (first < 0) {
      this.count = 0
      this.surfaceKey = 0
      this.normalsKey = HASH_START
      return
    }
    let path = tree.root(first)
    let keyed = path
    for (let count = 0; ;) {
      const { numbers } = tree
      const from = size * path
      const nx = numbers[from + normal]
      const ny = numbers[from + normal + 1]
      const nz = numbers[from + normal + 2]
      const t = (numbers[from + offset] - nx * ox - ny * oy - nz * oz) / numbers[from + cosine]
      ox += t * dx + lift * nx
      oy += t * dy + lift * ny
      oz += t * dz + lift * nz
      facets[count] = tree.facet[path]
      paths[count] = path
      const at = 3 * count++
      hits[at] = ox
      hits[at + 1] = oy
      hits[at + 2] = oz
      sides[at] = nx
      sides[at + 1] = ny
      sides[at + 2] = nz
      if (count <= compared) keyed = path
      if (count === most) {
        this.cutOff = tree.goesOn(path, hits, at)
        this.goesOn ||= this.cutOff
        this.count = count
        break
      }
      dx = numbers[from + onward]
      dy = numbers[from + onward + 1]
      dz = numbers[from + onward + 2]
      const next = tree.follow(path, hits, at)
      if (next < 0) {
        this.count = count
        break
      }
      this.goesOn ||= count === compared
      path = next
    }
    const key = tree.surfaceKey[keyed]
    this.surfaceKey = (this.goesOn ? hashStep(key, TRUNCATED) : key) || 1
    this.normalsKey = tree.normalsKey[keyed]
  }

  /**
   * Finds which hits of the last path see the receiver in direction s, the tree's: the first does, later ones where no facet stands
   * in the way (docs/theory.md, "5. Current": physical optics currents behind an obstacle do not radiate to it).
   */
  findVisible(s: ArrayLike<number>): void {
    const { tree, facets, hits, sides, visible } = this
    visible[0] = 1
    for (let m = 1; m < this.count; m++) {
      const at = 3 * m
      const faces = sides[at] * s[0] + sides[at + 1] * s[1] + sides[at + 2] * s[2] > 0
      visible[m] = faces && tree.sees(facets[m], hits, at) ? 1 : 0
    }
  }
}
