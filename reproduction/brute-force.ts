import { type RayScene, withRopes } from '../rays/index.js'

/** Far outside any target [m]. */
const FAR = 1e30

/**
 * The scene without its BVH: one leaf holds all facets, so that every ray of the CPU engine, and every ray that the GPU engine
 * launches with `traversal: 'ropes'`, is tested against all of them. Fields equal those with the BVH to the last bit. The box pairs
 * are empty: a caster that reads them finds no facet.
 */
export function bruteForce(scene: RayScene): RayScene {
  const nodes = new Float32Array([-FAR, -FAR, -FAR, 0, FAR, FAR, FAR, 0])
  new Uint32Array(nodes.buffer)[7] = scene.count
  return withRopes({
    ...scene,
    nodes,
    depth: 1,
    pairs: { boxes: new Float64Array(0), links: new Int32Array(0), root: ~0 },
    // The CPU engine caches data of a scene by this array.
    planes: scene.planes.slice(),
  })
}
