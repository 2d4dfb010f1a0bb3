import { describe, expect, it } from 'vitest'
import { createCpuEngine, listPaths } from '../../cpu-sbr/index.js'
import type { SbrOptions } from '../../rays/index.js'
import { direction, dot, wavenumber } from '../../scene/index.js'
import { readMesh } from '../../formats/index.js'
import { coating, layer, sheet } from '../helpers/materials.js'
import { testScene } from '../helpers/sbr.js'

const options: SbrOptions = {
  raysPerWavelength: 8,
  maxBounces: 3,
  subdivisions: 2,
  formulation: 'all-bounces',
}

describe('paths of one aspect', () => {
  // Flat facets and bounces (parallelograms), and a smooth body (quadrilaterals).
  it.each([
    ['trihedral-square', null, 1.2e9, 60, 40],
    ['sphere', null, 0.3e9, 70, 30],
    ['trihedral-square', coating(layer([6, -1.2], 0.02)), 1.2e9, 60, 40],
    ['sphere', coating(layer([6, -1.2], 0.05)), 0.3e9, 70, 30],
    ['trihedral-square', sheet(layer([4, -0.4], 0.03)), 1.2e9, 60, 40],
  ])('of %s, %o, add up to the field of the engine', async (name, material, freqHz, theta, phi) => {
    const mesh = await readMesh(`samples/${name}.stl`)
    const { scene, area } = testScene({ ...mesh, ...(material && { groupMaterials: [material] }) })
    const tx = direction(theta, phi)
    const aspect = { tx, rx: tx }
    const engine = createCpuEngine(scene, area, 0)
    const { field, statistics } = await engine.field({ aspect, band: { f0: freqHz, df: 0, n: 1 }, options })
    const list = listPaths(scene, aspect, freqHz, options, 1e6)
    expect(list.raysPerWavelength).toBe(options.raysPerWavelength)
    expect(list.path.length).toBe(statistics.contributions)
    const k = wavenumber(freqHz)
    const sum = new Float64Array(8)
    let largest = 0
    for (let i = 0; i < list.path.length; i++) {
      const phase = -2 * k * list.place[2 * i]
      for (let c = 0; c < 8; c += 2) {
        const [re, im] = [list.amplitude[8 * i + c], list.amplitude[8 * i + c + 1]]
        // The factor j, and sqrt(4 pi) of the image's units.
        sum[c] -= re * Math.sin(phase) + im * Math.cos(phase)
        sum[c + 1] += re * Math.cos(phase) - im * Math.sin(phase)
        largest += Math.hypot(re, im)
      }
    }
    for (let c = 0; c < 8; c++)
      expect(Math.abs(sum[c] / Math.sqrt(4 * Math.PI) - field[c])).toBeLessThan(1e-7 * largest)
  })

  it('lie where their hits are: range and cross-range of the first and the last', async () => {
    const { scene } = testScene(await readMesh('samples/trihedral-square.stl'))
    const tx = direction(60, 40)
    const list = listPaths(scene, { tx, rx: tx }, 1.2e9, options, 1e6)
    const hit = (at: number): [number, number, number] =>
      [0, 1, 2].map((c) => list.hits[3 * at + c]) as [number, number, number]
    let most = 0
    for (let i = 0; i < list.path.length; i++) {
      const first = list.hitStart[list.path[i]]
      const at = first + list.bounce[i] - 1
      let length = -dot(hit(first), tx.r) - dot(hit(at), tx.r)
      for (let h = first; h < at; h++) length += Math.hypot(...hit(h).map((x, c) => x - hit(h + 1)[c]))
      expect(Math.abs(list.place[2 * i] - length / 2)).toBeLessThan(1e-5)
      const cross = (dot(hit(first), tx.phiHat) + dot(hit(at), tx.phiHat)) / 2
      expect(Math.abs(list.place[2 * i + 1] - cross)).toBeLessThan(1e-5)
      most = Math.max(most, list.bounce[i])
    }
    expect(most).toBe(3)
  })

  it('thin out to keep to a number of tubes', async () => {
    const { scene } = testScene(await readMesh('samples/plate.stl'))
    const tx = direction(30, 10)
    const list = listPaths(scene, { tx, rx: tx }, 10e9, options, 2000)
    expect(list.raysPerWavelength).toBeLessThan(options.raysPerWavelength)
    // An aperture has whole tiles; tubes at edges are cut.
    expect(list.hitStart.length).toBeLessThan(4000)
    expect(list.hitStart.length).toBeGreaterThan(500)
  })
})
