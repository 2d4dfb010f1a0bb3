import { describe, expect, it } from 'vitest'
import { aspectOf } from '../oracle/cases.js'
import type { EdgeOptions } from '../../cpu-diffraction/index.js'
import type { Mesh } from '../../scene/index.js'
import { relativeDifference, at } from '../helpers/sbr.js'
import { cube } from '../scene/shapes.js'
import { engines, centredSheet, edgeOptions } from './meshes.js'

/** Amplitudes of SBR and edges, re and im of VV HH VH HV for each direction. */
async function solve(
  mesh: Mesh,
  freqHz: number,
  theta: number,
  phis: readonly number[],
  options?: EdgeOptions,
  rx: number[] = [],
): Promise<number[]> {
  const { wholeOf } = engines(mesh)
  const out: number[] = []
  for (const phi of phis) out.push(...(await wholeOf(aspectOf(theta, phi, ...rx), at(freqHz), options)))
  return out
}

/** Of lists of amplitudes those of some channels (0 VV, 1 HH, 2 VH, 3 HV). */
const channels = (f: number[], ...which: number[]): number[] =>
  f.filter((_, i) => which.includes((i >> 1) % 4))

const PHI = [0, 7, 31, 45, 68, 90, 133]

describe('a sheet seen exactly edge-on', () => {
  it('returns from an edge in front what the half-plane does: |f| = 1 of Ufimtsev, F = length / 2 pi', async () => {
    // The edges along the line of sight are seen end-on, and the one behind adds nothing.
    const [, , re, im] = await solve(centredSheet(0.3, 0.2), 3e9, 90, [0], { diffraction: 'eec' })
    expect(Math.hypot(re, im)).toBeCloseTo(0.2 / (2 * Math.PI), 12)
  })

  it('has the same HH a little above and below, and nothing in VV, VH and HV, which change sign there', async () => {
    const mesh = centredSheet(0.3, 0.2)
    const edgeOn = await solve(mesh, 3e9, 90, PHI)
    expect(channels(edgeOn, 0, 2, 3).every((x) => Math.abs(x) < 1e-14)).toBe(true)
    const above = await solve(mesh, 3e9, 89.9999, PHI)
    const below = await solve(mesh, 3e9, 90.0001, PHI)
    expect(relativeDifference(channels(above, 1), channels(edgeOn, 1))).toBeLessThan(1e-5)
    expect(relativeDifference(channels(below, 1), channels(edgeOn, 1))).toBeLessThan(1e-5)
    const coarse = await solve(mesh, 3e9, 89.99, PHI)
    expect(relativeDifference(channels(coarse, 1), channels(edgeOn, 1))).toBeLessThan(2e-3)
    const mean = above.map((x, i) => (x + below[i]) / 2)
    const most = Math.max(...channels(edgeOn, 1).map(Math.abs))
    for (const x of channels(mean, 2, 3)) expect(Math.abs(x)).toBeLessThan(1e-5 * most)
  })

  it('does so whichever way the sheet lies', async () => {
    // In the plane of x and z: V is in the sheet, from every theta at phi = 0.
    const { positions, triangles } = centredSheet(0.3, 0.2)
    const upright = positions.map((_, i) => positions[3 * ((i / 3) | 0) + [0, 2, 1][i % 3]])
    const turned = await solve({ positions: upright, triangles }, 3e9, 50, [0])
    const flat = await solve(centredSheet(0.3, 0.2), 3e9, 90, [40])
    expect(Math.hypot(turned[0], turned[1])).toBeCloseTo(Math.hypot(flat[2], flat[3]), 12)
    expect(Math.hypot(flat[2], flat[3])).toBeGreaterThan(1e-3)
  })
})

describe('a wave in the plane of a face', () => {
  it.each([
    ['of first order', edgeOptions()],
    ['with second order', edgeOptions('reflected', 'wall', 'double')],
  ])('gives the mean of the limits from both sides, %s', async (_, options) => {
    const run = (theta: number): Promise<number[]> => solve(cube(), 1e9, theta, [12, 31, 77], options)
    const [edgeOn, above, below] = [await run(90), await run(89.9999), await run(90.0001)]
    const mean = above.map((x, i) => (x + below[i]) / 2)
    expect(relativeDifference(mean, edgeOn)).toBeLessThan(1e-4)
  })

  it('is received like waves beside it', async () => {
    const mesh = centredSheet(0.3, 0.2)
    const edgeOn = await solve(mesh, 3e9, 50, [10], edgeOptions(), [90, 70])
    const beside = await solve(mesh, 3e9, 50, [10], edgeOptions(), [89.9999, 70])
    expect(relativeDifference(beside, edgeOn)).toBeLessThan(1e-4)
  })
})
