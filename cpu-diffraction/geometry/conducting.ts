import type { RayScene } from '../../rays/index.js'
import { EDGE_SIZE, type EdgeScene } from './edge-scene.js'
import { NOT_COATED } from '../currents/materials/edge-materials.js'

/*
 * What of a target mechanisms of second order have a part in: conductors. Facets of materials hide what lies behind them, and neither reflect
 * nor carry waves.
 */

/** Whether a facet is a perfect conductor, the first material of a scene. */
export const conducts = ({ materials }: RayScene, facet: number): boolean =>
  !materials || materials.of[facet] === 0

/** The scene with the edges between conductors alone; they are its first ones. */
export function conductingEdges(scene: EdgeScene): EdgeScene {
  const { materials } = scene
  if (!materials) return scene
  const other = materials.kind.findIndex((kind) => kind !== NOT_COATED)
  if (other < 0) return scene
  let length = 0
  for (let e = 0; e < other; e++) length += scene.edges[EDGE_SIZE * e + 6]
  return { ...scene, count: other, length }
}
