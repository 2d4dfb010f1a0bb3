import type { TubeRay } from './tracers.js'

/** What corner and central rays of one tile have met, at the points of its finest lattice, so that none is traced twice. */
export class RayCache {
  readonly surfaceKeys: Uint32Array
  readonly normalsKeys: Uint32Array
  /** First facet met; nothing where the path is empty. */
  readonly firstFacets: Int32Array
  /** Number of the tile at whose visit the point was last written. */
  private readonly stamps: Uint32Array
  private stamp = 0
  private i0 = 0
  private j0 = 0
  private readonly side: number
  private readonly fine: number

  /** @param tile  cells along a side of a tile; @param depth  levels of refinement below them */
  constructor(
    private readonly tile: number,
    depth: number,
  ) {
    this.fine = 2 ** depth
    this.side = tile * this.fine + 1
    const points = this.side * this.side
    this.surfaceKeys = new Uint32Array(points)
    this.normalsKeys = new Uint32Array(points)
    this.firstFacets = new Int32Array(points)
    this.stamps = new Uint32Array(points)
  }

  /** Goes to tile (i, j) and forgets the last one. */
  enter(i: number, j: number): void {
    this.i0 = i * this.tile * this.fine
    this.j0 = j * this.tile * this.fine
    this.stamp++
  }

  /** Index of point (i, j) of the lattice of cells of side `scale`, which lies in this tile. */
  at(i: number, j: number, scale: number): number {
    const step = scale * this.fine
    return (j * step - this.j0) * this.side + i * step - this.i0
  }

  /** Whether the ray of index `at` has been kept. */
  hasAt(at: number): boolean {
    return this.stamps[at] === this.stamp
  }

  /** Keeps the last path of `tracer` as that of the ray of index `at`. */
  keepAt(at: number, tracer: TubeRay): void {
    this.stamps[at] = this.stamp
    this.surfaceKeys[at] = tracer.surfaceKey
    this.normalsKeys[at] = tracer.normalsKey
    this.firstFacets[at] = tracer.facets[0]
  }
}
