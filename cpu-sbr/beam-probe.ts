import { DOUBLE_OFFSET, RayCaster, type FlatScene, type Vec3 } from '../scene/index.js'
import { BeamQuery } from './beam-query.js'
import type { Tube } from './contribution.js'
import type { PathTree } from './path-tree.js'

/** Every ray of the tube meets the same flats in the same order: its central ray stands for all. */
export const UNIFORM = 0
/** It crosses edges of a curved surface; before its first hit no other surface comes between. */
export const BENT = 1
/** Something divides it. */
export const DIVIDED = 2

/**
 * Proves of a tube that its rays all do what its central ray does, by following it as a beam (docs/adaptive-tubes.md).
 * Between the planes of two flats met one after the other the tube is a prism; its rays part only where the rim of the
 * flat that the central ray meets crosses the prism, or where a facet stands within it.
 */
export class BeamProbe {
  private readonly query: BeamQuery
  private readonly caster: RayCaster
  private readonly o: Vec3 = [0, 0, 0]
  private readonly d: Vec3 = [0, 0, 0]
  private readonly a: Vec3 = [0, 0, 0]
  private readonly b: Vec3 = [0, 0, 0]
  /** Per facet what stood in the way of the tube that `escapes` was last asked about; -1: none yet. */
  private readonly blockers: Int32Array
  /** Sides of a footprint. */
  private readonly p: Vec3 = [0, 0, 0]
  private readonly q: Vec3 = [0, 0, 0]

  /** @param axes  incidence d and lattice axes u, v of the aperture; @param tree  paths of its rays */
  constructor(
    private readonly scene: FlatScene,
    private readonly tree: PathTree,
    private readonly axes: { d: Vec3; u: Vec3; v: Vec3 },
    private readonly maxBounces: number,
  ) {
    this.query = new BeamQuery(scene)
    this.caster = new RayCaster(scene)
    this.blockers = new Int32Array(scene.count).fill(-1)
  }

  /**
   * What becomes of a tube whose central ray meets `facets[0 ... count)`, by the `paths` of the tree; list[start ... end) holds the facets that the
   * tube may meet first. With `quick` it is `UNIFORM` or `DIVIDED`, the latter at the first doubt.
   */
  test(
    tube: Tube,
    facets: Int32Array,
    paths: Int32Array,
    count: number,
    list: Int32Array,
    start: number,
    end: number,
    quick: boolean,
  ): 0 | 1 | 2 {
    const { scene, query, o, d, a, b } = this
    const { surface, flats } = scene
    if (count === 0) return end > start ? DIVIDED : UNIFORM
    // Rims first: they cost least.
    const last = Math.min(count, this.maxBounces - 1)
    let bent = -1
    this.launch(tube)
    for (let m = 0; m < count && bent < 0; m++) {
      if (!query.aim(o, a, b, d)) return DIVIDED
      if (query.rimCrosses(facets[m])) {
        if (quick || !flats.curved[facets[m]]) return DIVIDED
        bent = m
      }
      this.reflect(facets[m])
    }
    this.launch(tube)
    query.aim(o, a, b, d)
    query.cut(facets[0], -d[0], -d[1], -d[2])
    const curved = flats.curved[facets[0]] === 1 && !quick
    const before = query.insideList(list, start, end, surface[facets[0]], !curved)
    if (before === 2 || (before === 1 && !curved)) return DIVIDED
    if (bent >= 0 || before === 1) return BENT
    for (let m = 1; m <= last; m++) {
      this.reflect(facets[m - 1])
      query.aim(o, a, b, d)
      query.cut(facets[m - 1], d[0], d[1], d[2])
      // Tubes cut off by the bounce limit end at their last hit.
      if (m < count) query.cut(facets[m], -d[0], -d[1], -d[2])
      if (this.holdsAny(facets[m - 1], paths[m - 1])) return DIVIDED
    }
    return UNIFORM
  }

  /** Whether the footprints of a uniform tube, bit m of `visible` telling that of hit m, each see the receiver as a whole or not at all. */
  seenAlike(tube: Tube, facets: Int32Array, count: number, visible: number, s: Vec3): boolean {
    this.launch(tube)
    for (let m = 0; m < count; m++) {
      this.reflect(facets[m])
      if (m > 0 && !this.footprintSeenAlike(facets[m], (visible >> m) & 1, s)) return false
    }
    return true
  }

  /** Whether nothing stands in the way of a tube after facet f, were that as large as the tube. */
  escapes(tube: Tube, f: number): boolean {
    const { query, o, d, a, b } = this
    this.launch(tube)
    this.reflect(f)
    if (!query.aim(o, a, b, d)) return false
    query.cut(f, d[0], d[1], d[2])
    const blocker = this.blockers[f]
    if (blocker >= 0 && query.holds(blocker)) return false
    if (!query.inside()) return true
    this.blockers[f] = query.found
    return false
  }

  /** Whether anything stands in the beam that has just left facet f, which ends a path. */
  private holdsAny(f: number, path: number): boolean {
    const { query, tree, o, a, b } = this
    const listed = query.liesOn(f, o, a, b) ? tree.slotsAfter(path) : null
    return listed ? query.insideListed(listed.slots, listed.start, listed.end) : query.inside()
  }

  /** Whether a tube that meets facet f first crosses the rim of its flat, within a curved surface. */
  bends(tube: Tube, f: number): boolean {
    const { scene, query, o, d, a, b } = this
    if (scene.flats.curved[f] === 0) return false
    this.launch(tube)
    return !query.aim(o, a, b, d) || query.rimCrosses(f)
  }

  private launch(tube: Tube): void {
    const { o, d, a, b, axes } = this
    o[0] = tube.ox
    o[1] = tube.oy
    o[2] = tube.oz
    for (let c = 0; c < 3; c++) {
      d[c] = axes.d[c]
      a[c] = tube.side * axes.u[c]
      b[c] = tube.side * axes.v[c]
    }
  }

  /** n . x of facet f. */
  private along(f: number, x: Vec3): number {
    const { normals } = this.scene
    return normals[4 * f] * x[0] + normals[4 * f + 1] * x[1] + normals[4 * f + 2] * x[2]
  }

  /** Moves o to the hit with facet f and mirrors the beam there. */
  private reflect(f: number): void {
    const { o, d, a, b } = this
    const { normals } = this.scene
    const t = (normals[4 * f + 3] - this.along(f, o)) / this.along(f, d)
    const [na, nb, nd] = [2 * this.along(f, a), 2 * this.along(f, b), 2 * this.along(f, d)]
    for (let c = 0; c < 3; c++) {
      const n = normals[4 * f + c]
      o[c] += t * d[c]
      a[c] -= na * n
      b[c] -= nb * n
      d[c] -= nd * n
    }
  }

  /**
   * Whether the footprint on facet f about o, of a beam that has just been mirrored there, sees the receiver alike: the
   * beam of lines of sight is empty, or wholly blocked by one flat, or the facet faces away.
   */
  private footprintSeenAlike(f: number, seen: number, s: Vec3): boolean {
    const { scene, query, caster, o, d, a, b, p, q } = this
    const { normals, diagonal } = scene
    const nd = this.along(f, d)
    const side = nd > 0 ? 1 : -1
    if (side * this.along(f, s) <= 0) return true
    // The mirrored sides, slid along the ray onto the facet.
    const na = this.along(f, a) / nd
    const nb = this.along(f, b) / nd
    for (let c = 0; c < 3; c++) {
      p[c] = a[c] - na * d[c]
      q[c] = b[c] - nb * d[c]
    }
    if (!query.aim(o, p, q, s)) return false
    query.cut(f, s[0], s[1], s[2])
    if (seen) return !query.inside()
    const lift = side * DOUBLE_OFFSET * diagonal
    const n = 4 * f
    if (
      !caster.nearest(
        o[0] + lift * normals[n],
        o[1] + lift * normals[n + 1],
        o[2] + lift * normals[n + 2],
        s[0],
        s[1],
        s[2],
        f,
      )
    )
      return false
    // The blocking flat must cover the beam, and stand in front of the whole footprint.
    const g = caster.facet
    const ns = this.along(g, s)
    for (let corner = 0; corner < 4; corner++) {
      const i = corner & 1 ? 0.5 : -0.5
      const j = corner & 2 ? 0.5 : -0.5
      let height = normals[4 * g + 3]
      for (let c = 0; c < 3; c++) height -= normals[4 * g + c] * (o[c] + i * p[c] + j * q[c])
      if (!(height / ns > 0)) return false
    }
    return !query.rimCrosses(g)
  }
}
