import { type Aspect, dot, wavenumber } from '../../../scene/index.js'
import type { Material } from '../../../scene/materials/material.js'
import {
  along,
  awayFromEnd,
  EDGE_SIZE,
  type EdgeScene,
  FRAMES_SIZE,
  meetingEnds,
} from '../../geometry/edge-scene.js'
import type { Wall } from './amplitudes.js'
import { type EdgeMaterials, WEDGE } from './edge-materials.js'
import { aboveMiddle, forEachLayer } from './missing-waves.js'

/*
 * Where a wedge of coated metal has its faces. Its field is that of a wedge of walls of surface impedance under the facets. For E along the
 * edge they are the metal, since E vanishes there; for H where a wall leaves as much room for the flux of grad H/eps along it as the layers do.
 */

/** Of the wedge's angle, and of a face's at a corner: where very sharp walls have their edge, and its end. */
const LEAST_SINE = 0.2

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
  forEachLayer(material.stack, frequencyHz, (d, [re, im]) => {
    thickness += d
    room += (d * re) / (re * re + im * im)
  })
  return material.facet === 'outer' ? [thickness, room] : [0, room - thickness]
}

/** The walls of a scene's edges. */
export class EdgeWalls {
  /** By end (2 e, 2 e + 1) and face, 2 end + i: the face of another edge, 2 e + i, that it meets there at a convex corner, and the cosine of its angle. */
  private readonly corners = new Map<number, [other: number, cos: number]>()

  constructor(
    private readonly scene: EdgeScene,
    private readonly materials: EdgeMaterials,
  ) {
    const { edges, frames, faces } = scene
    for (const ends of meetingEnds(scene))
      for (const a of ends)
        for (const b of ends)
          for (let i = 0; i < 4; i++) {
            const [f, g] = [(a & ~1) + (i & 1), (b & ~1) + (i >> 1)]
            if (a === b || faces[f] !== faces[g] || materials.kind[a >> 1] !== WEDGE) continue
            const [u, v] = [awayFromEnd(edges, a), awayFromEnd(edges, b)]
            if (along(frames, 9 * f, v) >= LEAST_SINE) this.corners.set(2 * a + (i & 1), [g, dot(u, v)])
          }
  }

  /** Of E and of H along wedge e: where the edge of the walls is from face i; null where there are none but the facets. */
  of(e: number, i: number, frequencyHz: number, { tx, rx }: Aspect): Wall[] | null {
    const { edges, frames } = this.scene
    const depths = [i, 1 - i].map((f) => this.depthsAt(2 * e + f, frequencyHz))
    if (depths.every((of) => of.every((depth) => depth === 0))) return null
    const at = FRAMES_SIZE * e + 9 * i
    const k = wavenumber(frequencyHz)
    return [0, 1].map((pol) => {
      const depth = depths[0][pol]
      const x = inset(edges[EDGE_SIZE * e + 7], depth, depths[1][pol])
      let lead = 0
      for (let c = 0; c < 3; c++)
        lead += (x * frames[at + c] - depth * frames[at + 3 + c]) * (tx.r[c] + rx.r[c])
      const ends = [0, 1].map((end) => this.endOf(2 * e + end, i, { x, pol, frequencyHz }))
      return { x, depth, phase: [Math.cos(k * lead), Math.sin(k * lead)], ends: ends as [number, number] }
    })
  }

  private depthsAt(face: number, frequencyHz: number): [E: number, H: number] {
    const { list, of } = this.materials
    return wallDepths(list[of[face]], frequencyHz, this.scene.sides[face] < 0)
  }

  /** By how much the edge of the walls, x inside face i, ends before the facets': both edges of the face's corner go inside by their own. */
  private endOf(
    end: number,
    i: number,
    { x, pol, frequencyHz }: { x: number; pol: number; frequencyHz: number },
  ): number {
    const corner = this.corners.get(2 * end + i)
    if (!corner) return 0
    const [other, cos] = corner
    const { kind } = this.materials
    const [mine, next] =
      kind[other >> 1] === WEDGE ? [other, other ^ 1].map((f) => this.depthsAt(f, frequencyHz)[pol]) : [0, 0]
    const across = inset(this.scene.edges[EDGE_SIZE * (other >> 1) + 7], mine, next)
    return Math.max(0, across + x * cos) / Math.sqrt(1 - cos * cos)
  }
}

/** How far inside a face the edge of walls lies, by the depths under it and the other face [m]. @param N  of the wedge */
function inset(N: number, depth: number, other: number): number {
  // Of a face's frame the other normal is (sin, cos) of N pi - pi.
  const turn = (N - 1) * Math.PI
  return (other - Math.cos(turn) * depth) / Math.max(Math.sin(turn), LEAST_SINE)
}
