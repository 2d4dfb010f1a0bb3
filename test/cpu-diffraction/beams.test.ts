import { describe, expect, it } from 'vitest'
import { Beams, facetPlaneNumbers, ImageWaves } from '../../cpu-diffraction/light/image-light.js'
import { EDGE_SIZE } from '../../cpu-diffraction/geometry/edge-scene.js'
import { awayFromFaces } from '../../cpu-diffraction/light/segments.js'
import { readMesh } from '../../formats/read-mesh.js'
import { cube } from '../../samples/models/canonical.js'
import { direction, type Vec3 } from '../../scene/direction.js'
import { dihedral, scenes } from './meshes.js'
import { Walls } from '../../cpu-diffraction/mechanisms/wall.js'

describe('beams of reflected waves', () => {
  it('hold every edge that the wave reaches but the rims of its mirror, and not all edges', async () => {
    const { edges, rays } = scenes(await readMesh('samples/ship-1m.stl'))
    const planes = facetPlaneNumbers(rays)
    const [images, beams] = [new ImageWaves(rays, planes), new Beams(edges, rays, planes)]
    const counts = { reached: 0, out: 0 }
    for (const [theta, phi] of [
      [80, 30],
      [60, 200],
      [85, 0],
    ]) {
      const tx = direction(theta, phi)
      const waves = images.find(tx, beams)
      beams.set(waves)
      for (let w = 1; w < waves.length; w++)
        for (let e = 0; e < edges.count; e++) {
          const p = EDGE_SIZE * e
          let reached = false
          for (const part of [0.01, 0.25, 0.5, 0.75, 0.99]) {
            const t = part * edges.edges[p + 6]
            const point = [0, 1, 2].map((c) => edges.edges[p + c] + t * edges.edges[p + 3 + c]) as Vec3
            reached ||= images.reaches(waves[w], ...awayFromFaces(edges, e, point, tx.r), tx.r)
          }
          const may = beams.mayLight(e, w)
          // What the mirror's own rims do under its reflected wave is in the wedge's wave under the incident one.
          const mirror = edges.faceOf[planes.indexOf(waves[w].planes[0])]
          if (mirror === edges.faces[2 * e] || mirror === edges.faces[2 * e + 1]) {
            expect(may).toBe(false)
            continue
          }
          if (reached) expect(may).toBe(true)
          counts.reached += Number(reached)
          counts.out += Number(!may)
        }
    }
    expect(counts.reached).toBeGreaterThan(20)
    expect(counts.out).toBeGreaterThan(counts.reached)
  })
})

describe('walls', () => {
  it('stand on both faces of a dihedral and on none of a cube', () => {
    for (const [mesh, expected] of [
      [dihedral(), true],
      [cube(1), false],
    ] as const) {
      const { edges, rays } = scenes(mesh)
      const walls = new Walls(edges, rays)
      const found = Array.from({ length: 2 * edges.count }, (_, at) => walls.at(at))
      expect(found.some(Boolean)).toBe(expected)
    }
  })
})
