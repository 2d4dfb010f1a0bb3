import { describe, expect, it } from 'vitest'
import { facetPlaneNumbers, ImageLight, ImageWaves } from '../../cpu-diffraction/light/image-light.js'
import { EDGE_SIZE } from '../../cpu-diffraction/index.js'
import { awayFromFaces } from '../../cpu-diffraction/light/segments.js'
import { readMesh } from '../../formats/index.js'
import { cube } from '../../samples/models/canonical.js'
import { direction, type Vec3, type Mesh } from '../../scene/index.js'
import { StripFolds } from '../../cpu-diffraction/mechanisms/wall.js'
import { meshOf } from '../scene/shapes.js'
import { dihedral, mapped, quartered, scenes } from './meshes.js'

describe('beams of reflected waves', () => {
  it('hold every edge that the wave reaches but the rims of its mirror, and not all edges', async () => {
    const { edges, rays } = scenes(await readMesh('samples/ship-1m.stl'))
    const planes = facetPlaneNumbers(rays, edges.faceOf)
    const images = new ImageWaves(edges, rays, planes)
    const light = new ImageLight(edges, rays, true, 0.1, rays.size, planes)
    const counts = { reached: 0, out: 0 }
    for (const [theta, phi] of [
      [80, 30],
      [60, 200],
      [85, 0],
    ]) {
      const tx = direction(theta, phi)
      light.set(tx, 0.01)
      const { waves } = light
      for (let w = 1; w < waves.length; w++)
        for (let e = 0; e < edges.count; e++) {
          const p = EDGE_SIZE * e
          let reached = false
          for (const part of [0.01, 0.25, 0.5, 0.75, 0.99]) {
            const t = part * edges.edges[p + 6]
            const point = [0, 1, 2].map((c) => edges.edges[p + c] + t * edges.edges[p + 3 + c]) as Vec3
            reached ||= images.reaches(waves[w], ...awayFromFaces(edges, e, point, tx.r), tx.r)
          }
          const may = light.mayLight(e, w)
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

describe('a plane face is one mirror', () => {
  const rectangle = (a: Vec3, b: Vec3, c: Vec3, d: Vec3): Vec3[] => [a, b, c, a, c, d]
  /** A plate with a low fin at its end, and strips far above and below, beside which rays that look for mirrors lie wide apart. */
  const fin = ((): Mesh => {
    const corners = [
      rectangle([0, 0, 0], [0, 0, 1], [1, 0, 1], [1, 0, 0]),
      rectangle([0, 0, 0], [0, 0.02, 0], [0, 0.02, 1], [0, 0, 1]),
      rectangle([0, 1.5, -0.5], [0, 1.5, -0.4], [0, 2, -0.4], [0, 2, -0.5]),
      rectangle([0, -2, -0.5], [0, -2, -0.4], [0, -1.5, -0.4], [0, -1.5, -0.5]),
    ].flat()
    return meshOf(
      corners,
      corners.map((_, i) => [i]),
    )
  })()

  it.each([0, 1, 4])('that is found edge-on however it is cut into facets: %i times in four', (times) => {
    let mesh = fin
    for (let i = 0; i < times; i++) mesh = quartered(mesh)
    const { edges, rays } = scenes(mesh)
    const planes = facetPlaneNumbers(rays, edges.faceOf)
    const light = new ImageLight(edges, rays, true, 0.1, rays.size, planes)
    light.set(direction(84, 0.2), 0.05)
    expect(light.waves.map((wave) => wave.planes.length)).toEqual([0, 1, 1])
  })

  it('with one number, of facets that single precision has turned too', async () => {
    const turned = mapped(await readMesh('samples/ship-0.9m.stl'), ([x, y, z]) =>
      [0.8 * x - 0.6 * y + 5, 0.6 * x + 0.8 * y, z].map(Math.fround),
    )
    const { edges, rays } = scenes(turned)
    const planes = facetPlaneNumbers(rays, edges.faceOf)
    const numbers = new Map<number, Set<number>>()
    planes.forEach((plane, f) =>
      numbers.set(edges.faceOf[f], (numbers.get(edges.faceOf[f]) ?? new Set()).add(plane)),
    )
    expect([...numbers.values()].filter(({ size }) => size > 1)).toEqual([])
    expect(numbers.size).toBeLessThan(rays.count / 2)
  })
})

describe('walls', () => {
  it('stand on both faces of a dihedral and on none of a cube', () => {
    for (const [mesh, expected] of [
      [dihedral(), true],
      [cube(1), false],
    ] as const) {
      const { edges, rays } = scenes(mesh)
      const folds = new StripFolds(edges, rays, 100)
      const found = Array.from({ length: 2 * edges.count }, (_, at) => folds.mayFold(at >> 1, at & 1))
      expect(found.some(Boolean)).toBe(expected)
    }
  })
})
