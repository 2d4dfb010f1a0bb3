import type { Cell } from './contribution.js'
import type { Contributions } from './field-sum.js'

/** Follows rays of an aperture and keeps the last one. */
export interface TubeRay {
  /** Hits. */
  readonly count: number
  /** Identify surfaces and facets' normals of the hits in their order, as far as tubes are compared; surfaces 0 for a ray that met nothing. */
  readonly surfaceKey: number
  readonly normalsKey: number
  /** Whether it would meet the target once more, or the part of its power that does: the bounce limit cut it off. */
  readonly cutOff: boolean | number
  /** Whether it has more bounces than tubes are compared by. */
  readonly goesOn: boolean
  /** Facets met. */
  readonly facets: Int32Array
  /**
   * Follows the incident ray from (ox, oy, oz) over at most `most` bounces, the job's limit where absent; `first`: the facet that it meets
   * first, -1 for none, where known.
   */
  trace(ox: number, oy: number, oz: number, first?: number, most?: number): void
  /** Finds which hits radiate to a receiver in direction s. */
  findVisible(s: ArrayLike<number>): void
}

/** Collects what tubes radiate. */
export interface TubeContributor<Ray> extends Contributions {
  /** Contributions held. */
  readonly count: number
  clear(): void
  /** Adds those of a tube by its central ray, see `Contributor.add`. Returns whether any hit radiates. */
  addTube(cell: Cell, ray: Ray, cornerFacets: Int32Array | null): boolean
}

/** What follows the central and the corner rays of tubes, and collects what these radiate. */
export interface Tracers<Ray extends TubeRay, Tubes extends TubeContributor<Ray>> {
  contributor: Tubes
  centre: Ray
  corner: Ray
}
