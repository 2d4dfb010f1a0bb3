import { describe, expect, it } from 'vitest'
import { SECOND_ORDER, type SecondOrder } from '../../cpu-diffraction/index.js'
import { optionsOfStep } from '../../rays/index.js'
import { models } from '../../samples/models/index.js'
import type { Mesh, Vec3 } from '../../scene/index.js'
import { dihedral, edgeOptions, engines, grid, mapped, regularPrism } from './meshes.js'
import { monostatic, OPTIONS, at } from '../helpers/sbr.js'
import { cube, moved } from '../scene/shapes.js'
import { writeBinaryStl } from '../../formats/index.js'
import { readStl } from '../../formats/stl.js'
import { movePhaseCentre } from '../../run/sweep/rows.js'

/** A step of a cut [degrees], and the most that levels may change by over it [dB], this far below the cut's maximum [dB]. */
const STEP = 0.02
const MOST = 0.3
const RANGE = 30

const BAND = at(2e9)

/** A cut over phi at a theta [degrees]: angles where faces are edge-on, where edges lie in line or face each other, and one of none. */
const CUTS: [what: string, mesh: Mesh, theta: number, phi: number[]][] = [
  ['plate', grid(1, 1), 70, [0, 45, 3, 8.12, 11.48]],
  ['cube', cube(), 70, [0, 45, 90, 107]],
  ['cylinder', regularPrism(48, 1, 0.3), 70, [0, 3.75, 33]],
  ['dihedral', dihedral(), 70, [0, 45, 180, 315, 20]],
  ['square trihedral', models['trihedral-square'].make(), 70, [0, 45, 90, 31]],
  ['thin box', mapped(cube(), ([x, y, z]) => [x, y, 0.02 * z]), 70, [0, 45, 3]],
  [
    'solid as thin as a sheet, in its plane',
    mapped(cube(), ([x, y, z]) => [x, y, 0.004 * z]),
    90,
    [0, 0.0573, 1],
  ],
]

/** Angles of a scan about one, and close to it on both sides. */
const about = (phi: number): number[] => [-3, -2, -1, -0.05, 0, 0.05, 1, 2, 3].map((n) => phi + n * STEP)

describe('levels are continuous within 30 dB of the maximum', () => {
  it.each(CUTS)('%s', async (_, mesh, theta, angles) => {
    const { sbr, edges } = engines(mesh)
    const edge = { ...edgeOptions(...SECOND_ORDER), apart: true }
    // Levels [dB] of first order and of all mechanisms, VV and HH.
    const levels = async (phi: number, raysPerWavelength: number): Promise<number[]> => {
      const aspect = monostatic(theta, phi)
      const options = optionsOfStep({ ...OPTIONS, raysPerWavelength, maxBounces: 3 }, BAND)
      const { field } = await sbr.field({ aspect, band: BAND, options })
      const { field: all, parts } = await edges.field({ aspect, band: BAND, options: edge })
      return [parts![0], all].flatMap((of) =>
        [0, 2].map((c) => 20 * Math.log10(Math.hypot(field[c] + of[c], field[c + 1] + of[c + 1]))),
      )
    }
    const cut = await Promise.all(Array.from({ length: 24 }, (_, i) => levels(15 * i, 6)))
    const maximum = Math.max(...cut.flat())
    const has = [0, 1, 2, 3].filter((c) => cut.some((level) => level[c] > maximum - RANGE))
    const seen = [0, 0, 0, 0]
    for (const phi of angles) {
      const scan: number[][] = []
      // Tubes so narrow that their own steps are small.
      for (const at of about(phi)) scan.push(await levels(at, 25))
      for (let i = 1; i < scan.length; i++)
        for (let c = 0; c < 4; c++) {
          const [a, b] = [scan[i - 1][c], scan[i][c]]
          if (Math.max(a, b) < maximum - RANGE) continue
          seen[c]++
          const what = `${c < 2 ? 'first order' : 'default'}, ${c % 2 ? 'HH' : 'VV'}, phi ${about(phi)[i]}`
          expect(Math.abs(a - b), what).toBeLessThan(MOST)
        }
    }
    // Each that the cut has in the range: both orders, both polarisations but VV in the plane of a sheet.
    expect(has.length).toBeGreaterThanOrEqual(theta === 90 ? 2 : 4)
    for (const c of has) expect(seen[c]).toBeGreaterThanOrEqual(8)
  })
})

/** Amplitudes of a mechanism at each aspect [m], phase referred to `centre`. */
async function fields(
  mesh: Mesh,
  freqHz: number,
  aspects: [number, number][],
  name: SecondOrder,
  centre: Vec3 = [0, 0, 0],
): Promise<Float64Array[]> {
  const { partOf } = engines(mesh)
  const band = at(freqHz)
  const out: Float64Array[] = []
  for (const [theta, phi] of aspects) {
    const aspect = monostatic(theta, phi)
    const field = await partOf(aspect, band, edgeOptions('reflected', 'wall', 'double'), name)
    movePhaseCentre(field, band, aspect, centre)
    out.push(field)
  }
  return out
}

const differences = (a: Float64Array[], b: Float64Array[]): number =>
  Math.max(...a.flatMap((field, i) => Array.from(field, (x, c) => Math.abs(x - b[i][c]))))

describe('waves from edge to edge', () => {
  it.each(['double', 'wall'] as const)(
    '%s is that of the same mesh in single precision anywhere',
    async (name) => {
      const mesh = models.dihedral.make()
      const aspects: [number, number][] = [[60, -31], [72, 12], [81, 38], [52, 5]] // prettier-ignore
      const here = await fields(mesh, 3e9, aspects, name)
      const peak = Math.max(...here.flatMap((field) => Array.from(field, Math.abs)))
      expect(peak).toBeGreaterThan(1e-3)
      for (const distance of [5, 50]) {
        const centre: Vec3 = [distance, -0.7 * distance, 0.45 * distance]
        const there = readStl(writeBinaryStl(moved(mesh, centre)))
        const difference = differences(await fields(there, 3e9, aspects, name, centre), here)
        expect(difference, `${distance} m`).toBeLessThan(1e-3 * peak)
      }
    },
  )

  it('have no step of more than 1/300 of the size where some are left out', async () => {
    const aspects = Array.from({ length: 201 }, (_, i): [number, number] => [70, 0.4 + 0.015 * i])
    const rows = await fields(models.plate.make(), 2e9, aspects, 'double')
    for (let i = 1; i < rows.length; i++)
      expect(differences([rows[i]], [rows[i - 1]]), `phi ${aspects[i][1]}`).toBeLessThan(1 / 300)
  })
})
