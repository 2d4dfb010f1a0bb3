import { buildEdgeScene } from '../../cpu-diffraction/index.js'
import { createRasterEngine } from '../../cpu-sbr/raster/engine.js'
import type { Mesh } from '../../scene/index.js'
import {
  buildRasterScene,
  type RasterEdges,
  type RasterJob,
  type RasterScene,
} from '../../rays/raster-scene.js'
import type { AspectField } from '../../rays/index.js'
import { testScene } from './sbr.js'

export interface TestRaster {
  scene: RasterScene
  edges: RasterEdges
}

export function testRaster(mesh: Mesh): TestRaster {
  const { target, scene } = testScene(mesh)
  return { scene: buildRasterScene(target, scene), edges: buildEdgeScene(target, 160, scene.origin) }
}

/** One aspect in double precision on this thread, on an image of size x size pixels. */
export const drawOnCpu = async (
  { scene, edges }: TestRaster,
  size: number,
  job: RasterJob,
): Promise<AspectField> => (await createRasterEngine(scene, edges, 0, size).field(job)).field

/** The job with physical optics (`facets`) or edges alone. */
export const onlyPart = ({ aspect, band }: RasterJob, only: 'facets' | 'edges'): RasterJob => ({
  aspect,
  band,
  only,
})
