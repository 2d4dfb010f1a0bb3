import { describe, expect, it } from 'vitest'
import type { EdgeOptions, SecondOrder } from '../../cpu-diffraction/index.js'
import { writeBinaryStl } from '../../formats/index.js'
import { readStl } from '../../formats/stl.js'
import { movePhaseCentre } from '../../run/sweep/rows.js'
import { models } from '../../samples/models/index.js'
import type { Vec3, Mesh } from '../../scene/index.js'
import { monostatic } from '../helpers/sbr.js'
import { moved } from '../scene/shapes.js'
import { engines, partOf } from './meshes.js'

const OPTIONS: EdgeOptions = {
  diffraction: 'tw-ildc',
  secondOrder: ['reflected', 'wall', 'double'],
  apart: true,
}

/** Amplitudes of a mechanism at each aspect [m], phase referred to `centre`. */
async function fields(
  mesh: Mesh,
  freqHz: number,
  aspects: [number, number][],
  name: SecondOrder,
  centre: Vec3 = [0, 0, 0],
): Promise<Float64Array[]> {
  const { edges } = engines(mesh)
  const band = { f0: freqHz, df: 0, n: 1 }
  const out: Float64Array[] = []
  for (const [theta, phi] of aspects) {
    const aspect = monostatic(theta, phi)
    const field = await partOf(edges, { aspect, band, options: OPTIONS }, name)
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
