import type { AspectField } from '../rays/index.js'
import type { RasterEdges, RasterImage, RasterJob, RasterScene } from './raster-scene.js'
import { addEdge } from './edges.js'
import { addFacet } from './facets.js'
import { Raster } from './raster.js'

/** A target as worker threads are given it. */
export interface RasterTarget {
  scene: RasterScene
  edges: RasterEdges | null
  image: RasterImage
}

export interface RasterResult {
  /** Sums for `finishField` [m^2]. */
  field: AspectField
  facets: number
  pieces: number
  traceSeconds: number
  fieldSeconds: number
}

/** One aspect: visibility, then the fields in the order of facets and edges. */
export function runRasterTask(
  { scene, edges, image }: RasterTarget,
  { aspect, band, only }: RasterJob,
): RasterResult {
  const start = performance.now()
  const raster = new Raster(scene, image, aspect.tx)
  const seen = raster.drawn.map((d) => raster.look(d))
  const traced = performance.now()
  const field = new Float64Array(8 * band.n)
  let facets = 0
  let pieces = 0
  if (only !== 'edges')
    raster.drawn.forEach((d, i) => (facets += addFacet(raster, d, seen[i], aspect, band, field) ? 1 : 0))
  if (edges && only !== 'facets')
    for (let e = 0; e < edges.count; e++) pieces += addEdge(raster, edges, e, aspect, band, field)
  return {
    field,
    facets,
    pieces,
    traceSeconds: (traced - start) / 1000,
    fieldSeconds: (performance.now() - traced) / 1000,
  }
}
