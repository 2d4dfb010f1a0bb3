import { describe, expect, it } from 'vitest'
import { SECOND_ORDER } from '../../cpu-diffraction/index.js'
import { readMesh } from '../../formats/index.js'
import { type Band, type Direction, direction, type Mesh } from '../../scene/index.js'
import { bandsOfSteps } from '../../scene/band.js'
import { optionsOfStep } from '../../rays/index.js'
import { OPTIONS, peakDifference, at, monostatic } from '../helpers/sbr.js'
import { cube, rows } from '../scene/shapes.js'
import { dihedral, inThrees, quartered, engines, edgeOptions, mapped } from './meshes.js'

const REFLECTED = edgeOptions('reflected')

/** Amplitudes of `reflected` of a mesh at an aspect [degrees] and over a band. */
function fieldsOf(mesh: Mesh): (theta: number, phi: number, band: Band) => Promise<Float64Array> {
  const { partOf } = engines(mesh)
  return async (theta, phi, band) => {
    const parts = bandsOfSteps(band).map((part) => partOf(monostatic(theta, phi), part, REFLECTED))
    return Float64Array.from((await Promise.all(parts)).flatMap((part) => [...part]))
  }
}

/** The mesh with the corners of each facet in another order, and the facets too. */
function rearranged(mesh: Mesh, corner: (c: number, facet: number) => number, permute: boolean): Mesh {
  const count = mesh.triangles.length / 3
  const order = Array.from({ length: count }, (_, i) => i)
  if (permute) order.sort((a, b) => ((a * 7919) % 1009) - ((b * 7919) % 1009))
  const triangles = Uint32Array.from(
    order.flatMap((f) => [0, 1, 2].map((c) => mesh.triangles[3 * f + corner(c, f)])),
  )
  return { ...mesh, triangles }
}

describe('reflected waves', () => {
  it('have a datum that does not depend on the other frequencies', async () => {
    const field = fieldsOf(dihedral())
    const f0 = 2e9
    const alone = await field(75, 31, at(f0))
    for (const band of [
      { f0, df: 1e8, n: 2 },
      { f0, df: 1.2e9, n: 2 },
      { f0: 1.7e9, df: 1e8, n: 7 },
      { f0, df: 1e7, n: 64 },
      { f0: 1e9, df: 1e8, n: 31 },
    ]) {
      const i = Math.round((f0 - band.f0) / band.df)
      const datum = (await field(75, 31, band)).subarray(8 * i, 8 * i + 8)
      expect(peakDifference(datum, alone)).toBeLessThan(1e-4)
    }
  })

  it('have a datum that does not depend on the aspects before', async () => {
    const field = fieldsOf(dihedral())
    const alone = await field(75, 31, at(2e9))
    await field(60, 12, at(3e9))
    expect(await field(75, 31, at(2e9))).toEqual(alone)
  })

  it('go over from one step of wavelengths to the next without a jump', async () => {
    const field = fieldsOf(dihedral())
    // A boundary of steps (`bandsOfSteps`).
    const boundary = 10e9 * 2 ** -2.25
    const fields = []
    for (let i = -4; i <= 4; i++) fields.push(await field(75, 31, at(boundary * (1 + 0.01 * (i + 0.5)))))
    for (let i = 1; i < 8; i++) {
      // Second differences of the moduli: of a smooth curve small.
      const [a, b, c] = fields.slice(i - 1, i + 2).map((f) => Math.hypot(f[0], f[1]))
      expect(Math.abs(a - 2 * b + c)).toBeLessThan(0.02 * b)
    }
  })

  it('do not depend on the order and the winding of facets', async () => {
    const cases: [Mesh, number, number, number][] = [
      [await readMesh('samples/dihedral.stl'), 3e9, 70, 18],
      [await readMesh('samples/dihedral.stl'), 3e9, 70, 24],
      [await readMesh('samples/ship-0.9m.stl'), 5e9, 75, 91],
      // Of so many wavelengths that fans take turns with their rays.
      [await readMesh('samples/ship-0.9m.stl'), 15e9, 75, 20],
      [await readMesh('samples/dihedral.stl'), 15e9, 70, 24],
      [await readMesh('samples/ship-0.9m.stl'), 20e9, 75, 131],
    ]
    for (const [mesh, f0, theta, phi] of cases) {
      const plain = await fieldsOf(mesh)(theta, phi, at(f0))
      for (const other of [
        rearranged(mesh, (c) => 2 - c, false),
        rearranged(mesh, (c, f) => (c + f) % 3, true),
      ])
        expect(peakDifference(await fieldsOf(other)(theta, phi, at(f0)), plain)).toBeLessThan(1e-9)
    }
  })

  it.each(Object.entries({ dihedral: dihedral(), box: cube() }))(
    'and all other mechanisms do not depend on how the plane faces of a %s are cut into facets',
    async (_, mesh) => {
      const fields: number[][] = []
      for (const cut of [mesh, quartered(mesh), inThrees(quartered(quartered(mesh)))]) {
        const { fieldOf } = engines(cut)
        const of: number[] = []
        for (const [theta, phi] of rows('70 0.2, 63 27, 90 45, 112 206'))
          of.push(...(await fieldOf(monostatic(theta, phi), at(2e9), edgeOptions(...SECOND_ORDER))))
        fields.push(of)
      }
      expect(fields.slice(1).map((field) => peakDifference(field, fields[0]) < 1e-6)).toEqual([true, true])
    },
  )

  it('turn with the mesh', async () => {
    const mesh = await readMesh('samples/ship-1m.stl')
    const [cos, sin] = [Math.cos((33.7 * Math.PI) / 180), Math.sin((33.7 * Math.PI) / 180)]
    const turned = fieldsOf(mapped(mesh, ([x, y, z]) => [cos * x - sin * y, sin * x + cos * y, z]))
    for (const phi of [90, 170])
      expect(
        peakDifference(await turned(70, phi + 33.7, at(3e9)), await fieldsOf(mesh)(70, phi, at(3e9))),
      ).toBeLessThan(1e-5)
  })

  it('have the same images of the light and double diffraction where the faces of a vehicle are cut, which are lit in part', async () => {
    const mesh = await readMesh('samples/vehicle.stl')
    const options = { ...edgeOptions('reflected', 'double'), apart: true }
    const [whole, cut] = await Promise.all(
      [mesh, quartered(mesh)].map(async (of) => {
        const job = { aspect: monostatic(75, 20.4), band: at(3e9), options }
        return (await engines(of).edges.field(job)).parts!
      }),
    )
    for (const part of [1, 2]) expect(peakDifference(cut[part], whole[part])).toBeLessThan(1e-5)
  })

  it('go through zero where a face is edge-on: no step of a scan by .02 degrees above .3 dB of the whole field', async () => {
    const mesh = await readMesh('samples/dihedral.stl')
    const field = fieldsOf(mesh)
    // The level of the whole field there.
    const whole = 0.43
    let before = await field(70, 44.94, at(2e9))
    for (let phi = 44.96; phi < 45.07; phi += 0.02) {
      const now = await field(70, phi, at(2e9))
      for (const c of [0, 2]) {
        const step = Math.hypot(now[c] - before[c], now[c + 1] - before[c + 1])
        expect(20 * Math.log10(1 + step / whole)).toBeLessThan(0.3)
      }
      before = now
    }
    const edgeOn = await field(70, 45, at(2e9))
    const [below, above] = [await field(70, 44.999, at(2e9)), await field(70, 45.001, at(2e9))]
    for (const near of [below, above])
      expect(Math.hypot(near[2] - edgeOn[2], near[3] - edgeOn[3])).toBeLessThan(0.003)
  })

  it('make rays and edges of a dihedral reciprocal, which without them are off by more than twice the field: to half of it', async () => {
    const { sbr, edges } = engines(dihedral())
    const band = at(2e9)
    const options = optionsOfStep({ ...OPTIONS, raysPerWavelength: 20 }, band)
    const solved = async (tx: Direction, rx: Direction): Promise<Float64Array[]> => {
      const aspect = { tx, rx }
      const { field } = await sbr.field({ aspect, band, options })
      const { parts } = await edges.field({ aspect, band, options: { ...REFLECTED, apart: true } })
      const first = field.map((x, i) => x + parts![0][i])
      return [first, first.map((x, i) => x + parts![1][i])]
    }
    const off = [0, 0]
    const whole = [0, 0]
    for (const [theta1, phi1, theta2, phi2] of rows(
      '70 65 60 15, 90 55 90 20, 80 45 70 85, 65 80 75 35, 90 75 60 45, 75 5 85 70',
    )) {
      const [a, b] = [direction(theta1, phi1), direction(theta2, phi2)]
      const [there, back] = [await solved(a, b), await solved(b, a)]
      for (const order of [0, 1])
        // VV, HH, VH, HV: VH and HV change places.
        for (const [channel, other] of [0, 1, 3, 2].entries())
          for (const c of [0, 1]) {
            off[order] += (there[order][2 * channel + c] - back[order][2 * other + c]) ** 2
            whole[order] += there[order][2 * channel + c] ** 2
          }
    }
    const [without, all] = off.map((x, i) => Math.sqrt(x / whole[i]))
    expect(without).toBeGreaterThan(2)
    expect(all).toBeLessThan(0.5)
    expect(Math.sqrt(off[1] / off[0])).toBeLessThan(0.3)
  })
})
