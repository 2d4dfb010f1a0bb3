import { Mesh, type Object3D } from 'three'
import { type Colours, coloursOf } from '../plots/index.js'
import { colourIndex } from '../plots/colours.js'
import type { CurrentsData } from './data.js'
import { segments } from './scene-marks.js'
import { TargetMesh } from './target-mesh.js'

const LINE = 0x10151c

/** The mesh for currents: triangles coloured by quality, 0 to 1, and their edges. */
export function currentsMesh({ positions, triangles, quality }: CurrentsData, colours: Colours): Object3D[] {
  const table = coloursOf(colours)
  const mesh = new TargetMesh({ positions, triangles })
  const tints = new Uint8Array(3 * quality.length)
  const ends: number[] = []
  const drawn = new Set<number>()
  for (let t = 0; t < quality.length; t++) {
    const from = 3 * colourIndex(quality[t], 0, 1)
    tints.set(table.subarray(from, from + 3), 3 * t)
    for (let i = 0; i < 3; i++) {
      const [a, b] = [triangles[3 * t + i], triangles[3 * t + ((i + 1) % 3)]]
      const edge = (Math.min(a, b) * positions.length) / 3 + Math.max(a, b)
      if (drawn.has(edge)) continue
      drawn.add(edge)
      ends.push(...positions.subarray(3 * a, 3 * a + 3), ...positions.subarray(3 * b, 3 * b + 3))
    }
  }
  mesh.setTints(tints)
  mesh.colour('material')
  return [new Mesh(mesh.geometry, mesh.material), segments(ends, LINE, 0.6)]
}
