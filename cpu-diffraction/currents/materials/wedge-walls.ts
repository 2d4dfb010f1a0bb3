import { type Aspect, wavenumber } from '../../../scene/index.js'
import type { Material } from '../../../scene/materials/material.js'
import { mediumAt } from '../../../scene/materials/medium.js'
import { EDGE_SIZE, FRAMES_SIZE, type EdgeScene } from '../../geometry/edge-scene.js'
import type { Wall } from './amplitudes.js'
import { aboveMiddle } from './missing-waves.js'
import type { EdgeMaterials } from './edge-materials.js'

/*
 * Where a wedge of coated metal has its faces. Its field is that of a wedge of walls of surface impedance under the facets. For E along the
 * edge they are the metal, since E vanishes there; for H where a wall leaves as much room for the flux of grad H/eps along it as the layers do.
 */

/** Of the wedge's angle: where very sharp walls have their edge. */
const LEAST_SINE = 0.2

const medium = new Float64Array(5)

/** Depth under the facets of the wall for E, and for H, along the edge [m] (decision 022); an opaque sheet's is above. */
export function wallDepths(material: Material, frequencyHz: number, back: boolean): [E: number, H: number] {
  if (material.kind === 'sheet') {
    const above = aboveMiddle(material, frequencyHz)
    return [-above, -above]
  }
  if (material.kind !== 'opaque' || !('stack' in material) || material.backing !== 'conductor') return [0, 0]
  if (back && material.sides === 'front') return [0, 0]
  let thickness = 0
  let room = 0
  for (const item of material.stack) {
    if ('impedance' in item) continue
    mediumAt(item.medium, frequencyHz, medium)
    thickness += item.thickness
    room += (item.thickness * medium[0]) / (medium[0] * medium[0] + medium[1] * medium[1])
  }
  return material.facet === 'outer' ? [thickness, room] : [0, room - thickness]
}

/** Of E and of H along wedge e: where the edge of the walls is from face i; null where there are none but the facets. */
export function wallsOf(
  { edges, frames, sides }: EdgeScene,
  { list, of }: EdgeMaterials,
  e: number,
  i: number,
  frequencyHz: number,
  { tx, rx }: Aspect,
): Wall[] | null {
  const depths = [i, 1 - i].map((f) => wallDepths(list[of[2 * e + f]], frequencyHz, sides[2 * e + f] < 0))
  if (depths.every((of) => of.every((depth) => depth === 0))) return null
  // Of a face's frame the other normal is (sin, cos) of N pi - pi.
  const turn = (edges[EDGE_SIZE * e + 7] - 1) * Math.PI
  const sine = Math.max(Math.sin(turn), LEAST_SINE)
  const at = FRAMES_SIZE * e + 9 * i
  const k = wavenumber(frequencyHz)
  return [0, 1].map((pol) => {
    const depth = depths[0][pol]
    const x = (depths[1][pol] - Math.cos(turn) * depth) / sine
    let lead = 0
    for (let c = 0; c < 3; c++)
      lead += (x * frames[at + c] - depth * frames[at + 3 + c]) * (tx.r[c] + rx.r[c])
    return { x, depth, phase: [Math.cos(k * lead), Math.sin(k * lead)] }
  })
}
