import { describe, expect, it } from 'vitest'
import {
  facetPlaneNumbers,
  ImageLight,
  ImageWaves,
  type LightWave,
} from '../../cpu-diffraction/light/image-light.js'
import { EDGE_SIZE } from '../../cpu-diffraction/index.js'
import { awayFromFaces } from '../../cpu-diffraction/light/segments.js'
import { readMesh } from '../../formats/index.js'
import { cube } from '../../samples/models/canonical.js'
import { type Direction, direction, type Vec3, type Mesh } from '../../scene/index.js'
import { StripFolds } from '../../cpu-diffraction/mechanisms/wall.js'
import { meshOf, rows } from '../scene/shapes.js'
import { dihedral, mapped, quartered, scenes, lBlock } from './meshes.js'
import { areaOf } from '../../cpu-diffraction/geometry/edge-scene.js'
import { mirrorsOf } from '../../cpu-diffraction/light/mirrors.js'

describe('images of the transmitter', () => {
  const { edges, rays } = scenes(dihedral())
  const planes = facetPlaneNumbers(rays, edges.faceOf)
  const images = new ImageWaves(edges, rays, planes)
  /** The wave from a direction and its images. */
  const wavesOf = (of: Omit<ReturnType<typeof scenes>, 'area'>, tx: Direction): LightWave[] => {
    const light = new ImageLight(of.edges, of.rays, true, 0.1, of.rays.size)
    light.set(tx, 0.05)
    return light.waves
  }
  // Points on the rims of the sheets y = 0 and x = 0, in the ray scene's coordinates.
  const onRim = (x: number, y: number): Vec3 => [x - rays.origin[0], y - rays.origin[1], 0.3]

  it('are those in the two sheets of a dihedral, none of a convex body', () => {
    expect(wavesOf({ edges, rays }, direction(80, 30)).map((w) => w.planes.length)).toEqual([0, 1, 1])
    expect(wavesOf(scenes(cube(1)), direction(70, 40))).toHaveLength(1)
  })

  it('light the rim that the other sheet reflects to, and not the other way round', () => {
    const reached = (phi: number, p: Vec3): number =>
      wavesOf({ edges, rays }, direction(90, phi)).filter(
        (w) => w.planes.length > 0 && images.reaches(w, ...p, direction(90, phi).r),
      ).length
    // The ray back from the rim at (1, 0) meets the sheet x = 0 at y = tan(phi).
    expect(reached(40, onRim(1, 1e-6))).toBe(1)
    expect(reached(50, onRim(1, 1e-6))).toBe(0)
    expect(reached(40, onRim(1e-6, 1))).toBe(0)
    expect(reached(50, onRim(1e-6, 1))).toBe(1)
  })

  it('have fields that cancel the incident one along the reflecting plane', () => {
    const tx = direction(65, 25)
    const [direct, ...others] = wavesOf({ edges, rays }, tx)
    expect(others).toHaveLength(2)
    for (const image of others) {
      const facet = [...planes].indexOf(image.planes[0])
      const n = rays.normals.subarray(4 * facet, 4 * facet + 3)
      const at = (wave: typeof direct, v: number): number =>
        [0, 1, 2].reduce((s, c) => s + wave.r[c] * rays.vertices[9 * facet + 3 * v + c], wave.path)
      // The same path at every corner, and no field along the plane.
      for (let v = 0; v < 3; v++) expect(at(image, v)).toBeCloseTo(at(direct, v), 12)
      for (const key of ['thetaHat', 'phiHat'] as const) {
        const sum = direct[key].map((x, c) => x + image[key][c])
        const normal = sum.reduce((s, x, c) => s + x * n[c], 0)
        for (let c = 0; c < 3; c++) expect(sum[c] - normal * n[c]).toBeCloseTo(0, 12)
      }
    }
  })
})

describe('light of images', () => {
  const { edges, rays } = scenes(dihedral())
  const light = direction(65, 12)

  it('is the same whatever was asked before, and reaches the rims of the lower half alone', () => {
    const seen = new ImageLight(edges, rays, true, 0.3, 3)
    seen.set(light, 0.1)
    const all = seen.waves.flatMap((_, w) =>
      w === 0 ? [] : Array.from({ length: edges.count }, (_, e) => seen.parts(e, w)),
    )
    const again = new ImageLight(edges, rays, true, 0.3, 3)
    again.set(direction(50, 0), 0.1)
    again.set(light, 0.1)
    for (let e = edges.count - 1; e >= 0; e--)
      for (let w = 1; w < again.waves.length; w++) expect(again.parts(e, w)).toEqual(seen.parts(e, w))
    expect(all.some((parts) => parts.length > 0)).toBe(true)
    for (let e = 0; e < edges.count; e++)
      for (let w = 1; w < seen.waves.length; w++) {
        const p = EDGE_SIZE * e
        const high = edges.edges[p + 2] > 0 && Math.abs(edges.edges[p + 5]) < 0.5
        if (high) expect(seen.parts(e, w)).toHaveLength(0)
      }
  })

  it('is none where images are not followed', () => {
    const seen = new ImageLight(edges, rays, false, 0.3, 3)
    seen.set(light, 0.1)
    expect(seen.waves).toHaveLength(1)
  })
})

describe('beams of reflected waves', () => {
  it('hold every edge that the wave reaches but the rims of its mirror, and not all edges', async () => {
    const { edges, rays } = scenes(await readMesh('samples/ship-1m.stl'))
    const planes = facetPlaneNumbers(rays, edges.faceOf)
    const images = new ImageWaves(edges, rays, planes)
    const light = new ImageLight(edges, rays, true, 0.1, rays.size, planes)
    const counts = { reached: 0, out: 0 }
    for (const [theta, phi] of rows('80 30, 60 200, 85 0')) {
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

const found = (mesh: Mesh) => {
  const { edges, rays } = scenes(mesh)
  const largest: number[] = []
  edges.faceOf.forEach((face, f) => (largest[face] ??= f))
  return mirrorsOf(edges, rays, largest)
}
const area = ({ vertices, facets }: ReturnType<typeof found>): number =>
  facets.reduce((sum, _, m) => sum + areaOf(vertices, 9 * m), 0)

it('a face with a convex outline has as many mirrors as its corners need, however it is cut', () => {
  for (const mesh of [cube(1), quartered(cube(1)), quartered(quartered(cube(1)))]) {
    const mirrors = found(mesh)
    expect(mirrors.facets.length).toBe(12)
    expect(area(mirrors)).toBeCloseTo(6, 12)
  }
  expect(found(cube(1)).outlined).toBe(0)
  expect(found(quartered(cube(1))).outlined).toBe(12)
})

it('a face whose outline is not convex has its facets', () => {
  const body = quartered(quartered(lBlock()))
  const mirrors = found(body)
  // Two triangles on each of the six sides; the ends are L-shaped.
  expect(mirrors.outlined).toBe(12)
  expect(mirrors.facets.length).toBe(12 + body.triangles.length / 3 - 6 * 32)
  expect(area(mirrors)).toBeCloseTo(area(found(lBlock())), 12)
})

it('all facets are mirrors where outlines do not halve their number', () => {
  const { facets, outlined } = found(quartered(lBlock()))
  expect([facets.length, outlined]).toEqual([80, 0])
})
