import { DOUBLE_OFFSET, HASH_START, hashStep, normalKey, RayCaster, type RayScene } from '../../rays/index.js'
import { longer } from '../facet-lists.js'
import type { PathTree } from '../path-tree.js'
import { CLEAR, CUT_OFF, ENDS, HIT, LAUNCH, type PathFields, REFLECTED, TRANSMITTED } from './path-fields.js'

/** Mixed into the key of a ray: a branch that leaves the target, and one of more bounces than are compared. */
const LEFT = 0x51ed270b
const TRUNCATED = 0x9e3779b9
/** Of a hit that the receiver does not see. */
export const HIDDEN = -1

/**
 * Traces rays that reflect and, at sheets, go on straight too, depth first, the reflected branch before the transmitted one. Keeps the hits of
 * the last ray in that order, and what identifies them.
 */
export class BranchTracer {
  /** Hits of the last ray. */
  count = 0
  /** Identify the surfaces and the facets' normals of all branches in their order, as far as they are compared; surfaces 0 for a ray that met nothing. */
  surfaceKey = NaN
  normalsKey = NaN
  /** Part of the incident power, at the most, whose branches would meet the target once more: the bounce limit cut them off. */
  cutOff = 0
  /** Whether a branch has more bounces than are compared. */
  goesOn = false
  /** Facets met; the first is the first hit's. */
  facets = new Int32Array(64)
  /** Path up to each hit, hit before it (-1: none) and how the wave went on from there. */
  paths = new Int32Array(64)
  before = new Int32Array(64)
  kinds = new Uint8Array(64)
  /** Sight of each hit (`PathFields.sight`), or HIDDEN. Set by `findVisible`. */
  sights = new Int32Array(64)
  /** The hits, x y z each. */
  points = new Float64Array(3 * 64)
  /** Branches to follow: hit, twice, plus the kind. */
  private stack = new Int32Array(2 * 64)
  /** The tree's path of each hit. */
  private nodes = new Int32Array(64)
  /** Where a ray goes on from. */
  private readonly from = new Float64Array(3)
  private readonly crossed: number[] = []
  private readonly caster: RayCaster
  private readonly lift: number

  /** @param tree  paths of the incidence, which it is aimed at until the last ray is traced */
  constructor(
    private readonly scene: RayScene,
    private readonly tree: PathTree,
    private readonly fields: PathFields,
    private readonly d: ArrayLike<number>,
    private readonly compared: number,
  ) {
    this.caster = new RayCaster(scene)
    this.lift = DOUBLE_OFFSET * scene.diagonal
  }

  /** See `TubeRay`. */
  trace(ox: number, oy: number, oz: number, first?: number, most = Infinity): void {
    const { d, caster, fields, lift, compared, tree, from } = this
    this.count = 0
    this.surfaceKey = 0
    this.normalsKey = HASH_START
    this.cutOff = 0
    this.goesOn = false
    if (first === undefined) first = caster.nearest(ox, oy, oz, d[0], d[1], d[2], -1) ? caster.facet : -1
    if (first < 0) return
    this.surfaceKey = HASH_START
    from[0] = ox
    from[1] = oy
    from[2] = oz
    let branches = this.meet(fields.child(LAUNCH, REFLECTED, first), tree.root(first), -1, REFLECTED, 0)
    while (branches > 0) {
      const branch = this.stack[--branches]
      const hit = branch >> 1
      const kind = branch & 1
      const at = HIT.size * this.paths[hit]
      // Read anew: new paths may move them.
      const { hits, bounces } = fields
      const side = kind === REFLECTED ? lift : -lift
      for (let c = 0; c < 3; c++) from[c] = this.points[3 * hit + c] + side * hits[at + HIT.normal + c]
      const path = this.paths[hit]
      const node = kind === REFLECTED ? this.nodes[hit] : tree.through(this.nodes[hit])
      const bounce = bounces[path] + 1
      const last = fields.reflects[path] === CUT_OFF || bounce >= most
      if (kind === REFLECTED && last) {
        if (!tree.goesOn(node, from, 0)) continue
        if (bounce === compared) this.goOn()
        this.cutOff = Math.min(1, this.cutOff + fields.reflected[path])
        continue
      }
      const next = tree.follow(node, from, 0)
      if (next >= 0)
        branches = this.meet(fields.child(path, kind, tree.facet[next]), next, hit, kind, branches)
      else if (bounce <= compared) this.surfaceKey = hashStep(this.surfaceKey, LEFT)
    }
    this.surfaceKey ||= 1
  }

  private goOn(): void {
    this.goesOn = true
    this.surfaceKey = hashStep(this.surfaceKey, TRUNCATED)
  }

  /**
   * Finds through which sheets the hits of the last ray see the receiver in direction s. Before any reflection a current always radiates and
   * opaque facets are left out; after one it does where its lit side faces the receiver and nothing opaque stands in the way.
   */
  findVisible(s: ArrayLike<number>): void {
    const { fields, sights, paths, points, lift, tree, from } = this
    const { sheets } = fields.materials
    for (let i = 0; i < this.count; i++) {
      const n = HIT.size * paths[i] + HIT.normal
      const { hits, bounces } = fields
      const faces = hits[n] * s[0] + hits[n + 1] * s[1] + hits[n + 2] * s[2]
      const always = bounces[paths[i]] === 0
      sights[i] = always ? CLEAR : HIDDEN
      // What the incident wave meets first a receiver at the transmitter sees.
      const clear = !sheets || (i === 0 && this.isMonostatic(s))
      if (always ? clear : !(faces > 0)) continue
      const side = faces > 0 ? lift : -lift
      for (let c = 0; c < 3; c++) from[c] = points[3 * i + c] + side * hits[n + c]
      if (tree.sees(this.facets[i], from, 0)) sights[i] = CLEAR
      else if (sheets) sights[i] = this.sightFrom(from[0], from[1], from[2], this.facets[i], s, always)
    }
  }

  private isMonostatic(s: ArrayLike<number>): boolean {
    const { d } = this
    return s[0] === -d[0] && s[1] === -d[1] && s[2] === -d[2]
  }

  /** Adds a hit at the end of a path, on the ray that goes on from `from`, and the branches that go on from it; returns how many there are now. */
  private meet(path: number, node: number, before: number, kind: number, branches: number): number {
    const i = this.count++
    if (i === this.facets.length) this.enlarge(2 * i)
    const { fields, points, scene, stack, from } = this
    const ox = from[0]
    const oy = from[1]
    const oz = from[2]
    const { hits } = fields
    const at = HIT.size * path
    const f = fields.facet[path]
    const n = at + HIT.normal
    const t =
      (hits[at + HIT.offset] - hits[n] * ox - hits[n + 1] * oy - hits[n + 2] * oz) / hits[at + HIT.cosine]
    points[3 * i] = ox + t * hits[at + HIT.incidence]
    points[3 * i + 1] = oy + t * hits[at + HIT.incidence + 1]
    points[3 * i + 2] = oz + t * hits[at + HIT.incidence + 2]
    this.facets[i] = f
    this.paths[i] = path
    this.nodes[i] = node
    this.before[i] = before
    this.kinds[i] = kind
    if (fields.bounces[path] < this.compared) {
      this.surfaceKey = hashStep(this.surfaceKey, scene.surface[f])
      this.normalsKey = hashStep(this.normalsKey, normalKey(scene.normals, 4 * f))
    } else if (kind === REFLECTED && fields.bounces[path] === this.compared) this.goOn()
    if (fields.transmits[path]) stack[branches++] = 2 * i + TRANSMITTED
    if (fields.reflects[path] !== ENDS) stack[branches++] = 2 * i + REFLECTED
    return branches
  }

  private sightFrom(
    x: number,
    y: number,
    z: number,
    facet: number,
    s: ArrayLike<number>,
    pastOpaque: boolean,
  ): number {
    const { caster, crossed, fields, lift, scene } = this
    const { materials } = fields
    crossed.length = 0
    while (caster.nearest(x, y, z, s[0], s[1], s[2], facet)) {
      facet = caster.facet
      if (materials.isSheet[materials.of[facet]]) crossed.push(facet)
      else if (!pastOpaque) return HIDDEN
      const n = 4 * facet
      const { normals } = scene
      const side = normals[n] * s[0] + normals[n + 1] * s[1] + normals[n + 2] * s[2] > 0 ? lift : -lift
      x += caster.t * s[0] + side * normals[n]
      y += caster.t * s[1] + side * normals[n + 1]
      z += caster.t * s[2] + side * normals[n + 2]
    }
    let sight = CLEAR
    for (let i = crossed.length - 1; i >= 0; i--) sight = fields.sight(sight, crossed[i])
    return sight
  }

  private enlarge(hits: number): void {
    this.facets = longer(this.facets, hits)
    this.paths = longer(this.paths, hits)
    this.nodes = longer(this.nodes, hits)
    this.before = longer(this.before, hits)
    this.kinds = longer(this.kinds, hits)
    this.sights = longer(this.sights, hits)
    this.points = longer(this.points, 3 * hits)
    this.stack = longer(this.stack, 2 * hits)
  }
}
