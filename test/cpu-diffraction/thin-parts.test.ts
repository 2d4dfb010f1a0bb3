import { describe, expect, it } from 'vitest'
import { buildEdgeScene, SEGMENT_SIZE } from '../../cpu-diffraction/index.js'
import { SegmentFinder } from '../../cpu-diffraction/light/segments.js'
import { layerWeights, sheetWeight } from '../../cpu-diffraction/geometry/thin-parts.js'
import { C0, type Mesh } from '../../scene/index.js'
import { pipe } from '../helpers/pipe.js'
import { bandUpTo, monostatic, norm, oneFrequency, testScene } from '../helpers/sbr.js'
import { engines, centredSheet, edgeOptions, mapped } from './meshes.js'
import { cube } from '../scene/shapes.js'

/** A plate of a x b x t [m] about the origin, without thickness where t is 0. */
function plate(a: number, b: number, t: number): Mesh {
  return t > 0
    ? mapped(cube(), ([x, y, z]) => [a * (x - 0.5), b * (y - 0.5), t * (z - 0.5)])
    : centredSheet(a, b)
}

/** Rays and edges of a target at one aspect. */
async function whole(
  mesh: Mesh,
  lambda: number,
  theta: number,
  phi: number,
  second: boolean,
  raysPerWavelength = 10,
) {
  const { fieldOf, wholeOf } = engines(mesh)
  const of = [
    monostatic(theta, phi),
    oneFrequency(lambda),
    edgeOptions(...(second ? (['wall', 'double'] as const) : [])),
  ] as const
  return { total: await wholeOf(...of, { raysPerWavelength }), edges: await fieldOf(...of) }
}

describe('rims of thin solids', () => {
  it('are those of plates, not those of bodies', () => {
    const sheetsOf = (mesh: Mesh) => buildEdgeScene(testScene(mesh).target, 160).sheets
    const [{ thickness, scene }] = sheetsOf(plate(2, 3, 0.02))
    expect(thickness).toBeCloseTo(0.02, 12)
    expect([...scene.thickness]).toEqual(Array.from({ length: 4 }, () => expect.closeTo(0.02, 12) as number))
    expect(new Set(scene.faces).size).toBe(1)
    for (let e = 0; e < 4; e++) expect(scene.edges[8 * e + 2] + scene.origin[2]).toBeCloseTo(0, 12)
    expect(sheetsOf(plate(1, 1, 1))).toEqual([])
    expect(sheetsOf(plate(1, 1, 0))).toEqual([])
    expect(sheetsOf(plate(1, 1, 0.3))).toEqual([])
  })

  it.each([
    [70, 30],
    [85, 60],
    [110, 20],
    [60, 0],
  ])('scatter as a sheet’s rim where they are thin, θ %s φ %s', async (theta, phi) => {
    for (const second of [false, true]) {
      const sheet = await whole(plate(2.5, 4, 0), 1, theta, phi, second)
      const solid = await whole(plate(2.5, 4, 1e-4), 1, theta, phi, second)
      expect(norm(solid.total.map((x, i) => x - sheet.total[i]))).toBeLessThan(4e-3 * norm(sheet.total))
    }
  })

  it('take the place of their narrow faces: a thin plate gives nothing back edge-on across E', async () => {
    const t = 0.02
    const { total, edges } = await whole(plate(2.5, 4, t), 1, 90, 0, false, 80)
    // Physical optics of the narrow face, k A / 2 pi.
    expect(Math.hypot(edges[0], edges[1])).toBeCloseTo(4 * t, 5)
    expect(Math.hypot(total[0], total[1])).toBeLessThan(0.1 * 4 * t)
  })

  it('go over into those of a solid without a step', async () => {
    const at = async (kt: number) => (await whole(plate(2.5, 4, kt / (2 * Math.PI)), 1, 75, 35, true)).edges
    const steps = [0.12, 0.13, 0.15, 0.17, 0.19, 0.21, 0.23, 0.25, 0.26]
    const fields = await Promise.all(steps.map(at))
    const [first, last] = [fields[0], fields.at(-1)!]
    const change = (a: Float64Array, b: Float64Array) => norm(a.map((x, i) => x - b[i]))
    const all = change(first, last)
    expect(all).toBeGreaterThan(0.02 * norm(first))
    for (let i = 1; i < steps.length; i++) expect(change(fields[i - 1], fields[i])).toBeLessThan(0.3 * all)
  })

  it('have weights that sum to 1 at every frequency, each solid its own', () => {
    const band = bandUpTo(2e9, 5)
    const thicknesses = [0.002, 0.005, 0.007]
    const weights = layerWeights(band, thicknesses)
    for (let n = 0; n < band.n; n++) {
      const k = (2 * Math.PI * (band.f0 + n * band.df)) / C0
      expect(weights.reduce((sum, w) => sum + w[n], 0)).toBeCloseTo(1, 14)
      thicknesses.forEach((t, i) => {
        const sheet = weights.slice(i + 1).reduce((sum, w) => sum + w[n], 0)
        expect(sheet).toBeCloseTo(sheetWeight(k, t), 14)
      })
    }
    expect(layerWeights(band, [])).toEqual([new Float64Array(5).fill(1)])
  })
})

it.each([10, 30, 80])('the rim of an open end is lit all round, θ %s', (theta) => {
  for (const sides of [4, 24]) {
    const { target, scene } = testScene(pipe(0.8 / sides, 1, sides))
    const edges = buildEdgeScene(target, 160, scene.origin)
    const { data } = new SegmentFinder(edges, scene, 0.05).find(monostatic(theta, 15), 0, edges.count, true)
    const isRim = (e: number) => edges.faces[2 * e] === edges.faces[2 * e + 1]
    let lit = 0
    for (let o = 0; o < data.length; o += SEGMENT_SIZE) if (isRim(data[o])) lit += data[o + 2]
    expect(lit).toBeCloseTo(0.8, 3)
  }
})
