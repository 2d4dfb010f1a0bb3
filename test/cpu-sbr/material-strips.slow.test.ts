import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { C0 } from '../../scene/band.js'
import { direction } from '../../scene/direction.js'
import { type Material, PERFECT_CONDUCTOR } from '../../scene/materials/index.js'
import type { Mesh } from '../../scene/mesh.js'
import { coating, layer, made, sheet } from '../helpers/materials.js'
import { sbrJob, solve, testScene } from '../helpers/sbr.js'

/*
 * Strips of a width of 3 wavelengths, infinite along z, against the method of moments (test/validation/materials). The middle cut of a plate of
 * length l has F = (j / pi) P l; physical optics of a strip with slab coefficients is off by the errors in po_errors.csv,
 * and the engine has to be off by the same.
 */

const folder = new URL('../validation/materials/', import.meta.url)
const rowsOf = (name: string): string[][] =>
  readFileSync(new URL(name, folder), 'utf8')
    .split('\n')
    .filter((line) => line && !/^(#|phi|body)/.test(line))
    .map((line) => line.split(','))

/** Length of the plate; the wavelength is 1 m. */
const LENGTH = 1
const OPTIONS = { raysPerWavelength: 10, subdivisions: 4 }

/** A plate of a width by LENGTH m in the plane y. */
function strip(y: number, material: Material, width = 3): Mesh {
  const [x, z] = [width / 2, LENGTH / 2]
  return {
    positions: Float64Array.of(-x, y, -z, x, y, -z, x, y, z, -x, y, z),
    triangles: Uint32Array.of(0, 2, 1, 0, 3, 2),
    groupMaterials: [material],
  }
}

/** Material, and the plane of the facet: the middle of a sheet, the outer face of a coating. */
const strips: Record<string, [Material, number]> = {
  resistive_100: [sheet({ impedance: [100, 0] }), 0],
  resistive_377: [sheet({ impedance: [377, 0] }), 0],
  diel_thin: [sheet(layer([2.61, -0.036], 0.05)), 0],
  diel_glass: [sheet(layer([6.3, -0.05], 0.08)), 0],
  magram_sheet: [sheet(layer([12, -0.6], 0.05, [2.2, -1.6])), 0],
  coat1_lossless: [coating(layer([4, 0], 0.06)), 0.06],
  coat1_magram: [coating(layer([12, -0.6], 0.05, [2.2, -1.6])), 0.05],
  coat2_lossy: [coating(layer([6, -1.2], 0.06)), 0.06],
  coat2_magram: [coating(layer([12, -0.6], 0.05, [2.2, -1.6])), 0.05],
}

/** P of TM (V: E along the strip) and TE (H) in directions phi from the strip's plane. */
async function solved(
  scene: ReturnType<typeof testScene>,
  incidence: number,
  observation: number,
  maxBounces = 1,
) {
  const aspect = { tx: direction(90, incidence), rx: direction(90, observation) }
  const { field } = await solve(scene, sbrJob(aspect, { f0: C0, df: 0, n: 1 }, { ...OPTIONS, maxBounces }))
  // F = (j / pi) P l; H along z of the incident wave is along -phi-hat's E, that of the scattered one along +.
  const p = (at: number, sign: number): [number, number] => [
    (sign * Math.PI * field[at + 1]) / LENGTH,
    (-sign * Math.PI * field[at]) / LENGTH,
  ]
  return { TM: p(0, 1), TE: p(2, -1) }
}

/** |P - P_ref| / |P_ref| over the rows. */
function complexError(pairs: { got: number[]; want: number[] }[]): number {
  const total = (f: (p: { got: number[]; want: number[] }) => number): number =>
    Math.sqrt(pairs.reduce((sum, p) => sum + f(p), 0))
  return (
    total(({ got, want }) => (got[0] - want[0]) ** 2 + (got[1] - want[1]) ** 2) /
    total(({ want }) => want[0] ** 2 + want[1] ** 2)
  )
}

const published = rowsOf('po_errors.csv')
const errorOf = (body: string, pol: string, cut: string): number =>
  Number(
    published.find(
      (r) => r[0] === body && r[1] === '3' && r[2] === pol && r[3] !== 'bare' && r[4] === cut,
    )![6],
  )

test.each(Object.keys(strips))(
  '%s: errors against the method of moments are those of physical optics',
  async (name) => {
    const [material, y] = strips[name]
    const scene = testScene(strip(y, material))
    const cuts = [
      { cut: 'mono 30-90', rows: rowsOf(`strip_${name}_w3lam_mono.csv`), receiver: 0 },
      { cut: 'bistatic inc 60', rows: rowsOf(`strip_${name}_w3lam_bistatic.csv`), receiver: 1 },
    ]
    for (const { cut, rows, receiver } of cuts) {
      const references = rows.map((row) => row.map(Number))
      const fields = await Promise.all(references.map((row) => solved(scene, row[0], row[receiver])))
      for (const pol of ['TM', 'TE'] as const) {
        const at = receiver + (pol === 'TM' ? 3 : 5)
        const error = complexError(
          references.map((row, i) => ({ got: fields[i][pol], want: row.slice(at, at + 2) })),
        )
        // The published figures have three decimals; our rows begin and end at other angles than theirs by half a step.
        expect(Math.abs(error / errorOf(name, pol, cut) - 1)).toBeLessThan(0.04)
      }
    }
  },
)

test.each([
  // Physical optics of the strip alone has .45 with its edges left out; what the sheet returns and takes is in this figure's rest.
  { name: 'radome_matched_strip', material: sheet(layer([1.5, -0.5], 0.1, [1.5, -0.5])), most: 0.45 },
  { name: 'radome_strip', material: sheet(layer([4.2, -0.06], 0.05)), most: 0.7 },
])('$name: transmission there and back', async ({ name, material, most }) => {
  const rows = rowsOf(`${name}_mono.csv`)
    .map((row) => row.map(Number))
    .filter(([phi]) => phi <= 80 && phi % 1 === 0)
  const bare = strip(0, PERFECT_CONDUCTOR, 2)
  const errorsOf = async (mesh: Mesh): Promise<number[]> => {
    const scene = testScene(mesh)
    const fields = await Promise.all(rows.map(([phi]) => solved(scene, phi, phi, 3)))
    return (['TM', 'TE'] as const).map((pol) => {
      const at = pol === 'TM' ? 3 : 5
      return complexError(rows.map((row, i) => ({ got: fields[i][pol], want: row.slice(at, at + 2) })))
    })
  }
  const without = await errorsOf(bare)
  const behind = await errorsOf(made([bare, PERFECT_CONDUCTOR], [strip(1.5, material, 10), material]))
  behind.forEach((error, i) => expect(error / without[i]).toBeLessThan(most))
})
