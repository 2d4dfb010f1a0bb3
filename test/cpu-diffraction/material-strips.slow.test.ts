import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { direction } from '../../scene/direction.js'
import type { Material } from '../../scene/materials/index.js'
import { complexError, Prism, strip } from '../helpers/material-edges.js'
import { coating, layer, sheet } from '../helpers/materials.js'

/*
 * Strips of a width of 3 wavelengths, infinite along z, against the method of moments (test/validation/materials), with the edges: the
 * figures of docs/materials.md. po_errors.csv has what endless edges reach.
 */

const folder = new URL('../validation/materials/', import.meta.url)
const rowsOf = (name: string): string[][] =>
  readFileSync(new URL(name, folder), 'utf8')
    .split('\n')
    .filter((line) => line && !/^(#|phi|body)/.test(line))
    .map((line) => line.split(','))

const front = (material: Material): Material => ({ ...material, sides: 'front' }) as Material
const magnetic = layer([12, -0.6], 0.05, [2.2, -1.6])
/** Material, and the plane of the facet lit from above: the middle of a sheet, the outer face of a coating. */
const strips: Record<string, [Material, number]> = {
  resistive_100: [sheet({ impedance: [100, 0] }), 0],
  resistive_377: [sheet({ impedance: [377, 0] }), 0],
  diel_thin: [sheet(layer([2.61, -0.036], 0.05)), 0],
  diel_glass: [sheet(layer([6.3, -0.05], 0.08)), 0],
  magram_sheet: [sheet(magnetic), 0],
  coat1_lossless: [front(coating(layer([4, 0], 0.06))), 0.06],
  coat1_magram: [front(coating(magnetic)), 0.05],
  coat2_lossy: [coating(layer([6, -1.2], 0.06)), 0.06],
  coat2_magram: [coating(magnetic), 0.05],
}
const published = rowsOf('po_errors.csv')
/** Of untruncated edges, to three decimals. */
const edgeErrorOf = (body: string, pol: string, side: string, cut: string): number =>
  Number(
    published.find(
      (r) => r[0] === body && r[1] === '3' && r[2] === pol && r[3] === side && r[4] === cut,
    )![10],
  )

/** Strips and polarisations whose edges are no worse than 1.2 times those of po_errors.csv. */
const isGated = (name: string, pol: string): boolean =>
  /^(resistive|magram_sheet)/.test(name) || (name.startsWith('coat') && pol === 'TM')

const cases = Object.keys(strips).flatMap((name) =>
  (['monostatic', 'bistatic'] as const).map((cut) => ({ name, cut })),
)

test.each(cases)(
  '$name, $cut: edges bring physical optics to the method of moments',
  async ({ name, cut }) => {
    const [material, y] = strips[name]
    const isBistatic = cut === 'bistatic'
    const prism = new Prism(strip(y, material, -1.5, 1.5))
    const rows = rowsOf(`strip_${name}_w3lam_${isBistatic ? 'bistatic' : 'mono'}.csv`)
      .map((row) => row.map(Number))
      .filter(([phi]) => (isBistatic ? phi === 60 : phi >= 30))
      .filter((_, i) => i % 3 === 0)
    const receiver = isBistatic ? 1 : 0
    const of = { TM: [[], [], []], TE: [[], [], []] } as Record<string, number[][]>
    for (const row of rows) {
      const aspect = { tx: direction(90, row[0]), rx: direction(90, row[receiver]) }
      const optics = await prism.optics(aspect)
      const all = prism.diffraction(aspect).map((x, i) => x + optics[i])
      for (const [pol, at, sign, column] of [
        ['TM', 0, 1, 3],
        ['TE', 2, -1, 5],
      ] as const) {
        // F = (j / pi) P of a length of 1 m.
        const P = (f: Float64Array): number[] => [sign * Math.PI * f[at + 1], -sign * Math.PI * f[at]]
        of[pol][0].push(...row.slice(receiver + column, receiver + column + 2))
        of[pol][1].push(...P(optics))
        of[pol][2].push(...P(all))
      }
    }
    for (const [pol, [want, optics, all]] of Object.entries(of)) {
      const error = complexError(all, want)
      expect(error).toBeLessThanOrEqual(1.001 * complexError(optics, want))
      if (!isGated(name, pol)) continue
      const [side, range] = isBistatic
        ? ['-', 'bistatic inc 60']
        : [name.startsWith('coat1') ? 'coated' : '-', 'mono 30-90']
      expect(error).toBeLessThan(1.2 * (edgeErrorOf(name, pol, side, range) + 0.0005))
    }
  },
)
