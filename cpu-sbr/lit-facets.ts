import { GRAZING_COSINE, type FlatScene, type Vec3 } from '../scene/index.js'
import { BeamQuery } from './beam-query.js'

/** Not proven to be lit whole, or of a flat of which another facet is not: a tube may lie on both. */
export const OTHER = 1
/** Lit whole: what it radiates at the first bounce is one polygon integral. */
export const LIT = 2
/** Lit whole, and the wave goes on to nothing else: no ray is owed to it. */
export const DONE = 3

/**
 * Tells the facets that the incident wave lights whole, and those of them that reflect it away from the target. Proven by
 * following the facet's own beam to it and onwards (docs/adaptive-tubes.md), when first asked for.
 */
export class LitFacets {
  private readonly query: BeamQuery
  /** OTHER, LIT or DONE; 0 before it is known. */
  private readonly state: Uint8Array
  /** Facets flat by flat, and where each flat's begin. */
  private readonly members: Uint32Array
  private readonly start: Uint32Array

  /** @param maxBounces  with one bounce nothing goes on */
  constructor(
    private readonly scene: FlatScene,
    private readonly d: Vec3,
    private readonly maxBounces: number,
  ) {
    this.query = new BeamQuery(scene)
    this.state = new Uint8Array(scene.count)
    const { flat, rimStart } = scene.flats
    this.start = new Uint32Array(rimStart.length)
    for (let t = 0; t < scene.count; t++) this.start[flat[t] + 1]++
    for (let f = 1; f < rimStart.length; f++) this.start[f] += this.start[f - 1]
    const fill = this.start.slice()
    this.members = new Uint32Array(scene.count)
    for (let t = 0; t < scene.count; t++) this.members[fill[flat[t]]++] = t
  }

  of(t: number): number {
    if (this.state[t] === 0) this.proveFlat(this.scene.flats.flat[t])
    return this.state[t]
  }

  private proveFlat(f: number): void {
    const { state, start } = this
    const members = this.members.subarray(start[f], start[f + 1])
    let whole = true
    for (const t of members) {
      state[t] = whole ? this.prove(t) : OTHER
      if (state[t] === OTHER) whole = false
    }
    if (!whole) for (const t of members) state[t] = OTHER
  }

  private prove(t: number): number {
    const { query, d, maxBounces } = this
    const { normals, flats } = this.scene
    const [nx, ny, nz] = [normals[4 * t], normals[4 * t + 1], normals[4 * t + 2]]
    const nd = nx * d[0] + ny * d[1] + nz * d[2]
    if (Math.abs(nd) < GRAZING_COSINE || flats.shell[t] * nd > 0) return OTHER
    query.aimFacet(t, d)
    // Of facets that lie on each other rays meet one.
    query.cut(t, -d[0], -d[1], -d[2], true)
    if (query.inside(t)) return OTHER
    if (maxBounces === 1) return DONE
    const away: Vec3 = [d[0] - 2 * nd * nx, d[1] - 2 * nd * ny, d[2] - 2 * nd * nz]
    query.aimFacet(t, away)
    query.cut(t, away[0], away[1], away[2])
    return query.inside() ? LIT : DONE
  }
}
