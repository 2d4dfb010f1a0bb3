import { describe, expect, it } from 'vitest'
import { createEdgeEngine, type EdgeOptions, SECOND_ORDER } from '../../cpu-diffraction/index.js'
import { type Aspect, C0, dot, type Mesh, type Vec3 } from '../../scene/index.js'
import { relativeDifference } from '../helpers/sbr.js'
import { aspectOf } from '../oracle/cases.js'
import { join, moved, cube } from '../scene/shapes.js'
import { dihedral, lBlock, mapped, regularPrism, scenes, cone, ogive, centredSheet } from './meshes.js'

/*
 * What all mechanisms have in common: phases of a moved target, frames of a turned one, fields of a band, bytes whatever the split.
 */

const sheet = centredSheet(0.25, 0.4)
const plate = mapped(cube(), ([x, y, z]) => [2.5 * x, 4 * y, 0.03 * z])
/** Inclined, so that V and H mix, and with tips of their own. */
const tips = mapped(
  join(ogive(24, 32), moved(cone(1, 48), [4, 0, 0]), moved(cone(0.7, 48), [8, 0, 0])),
  ([x, y, z]) => [x, 0.8 * y - 0.6 * z, 0.6 * y + 0.8 * z],
)

const USUAL: [number, number, number, number] = [75, 30, 60, 50]
/** `most`: errors of a moved target, a turned one, a band, and both ends exchanged where that changes nothing. */
const subjects: [
  string,
  Mesh,
  NonNullable<EdgeOptions['secondOrder']>,
  lambda: number,
  segments: number,
  angles: [number, number, number, number],
  [moved: number, turned: number, band: number, exchanged?: number],
][] = [
  ['first order', lBlock(), [], 0.032, 3, USUAL, [1e-6, 1e-6, 1e-7]],
  ['edge and corner waves of a sheet', sheet, ['edge-wave', 'corner'], 0.1, 20, USUAL, [1e-6, 1e-6, 1e-7, 1e-9]],
  ['edge and corner waves of a dihedral', dihedral(), ['edge-wave', 'corner'], 0.5, 20, USUAL, [1e-6, 1e-6, 1e-7, 1e-9]],
  ['all of second order at a dihedral', dihedral(), SECOND_ORDER, 0.5, 12, USUAL, [1e-6, 1e-5, 1e-7]],
  ['second order of a thin solid', plate, ['double'], 1, 20, USUAL, [1e-6, 1e-6, 1e-7]],
  ['creeping waves', regularPrism(48, 3), ['creeping'], 1, 30, USUAL, [1e-6, 1e-6, 1e-4]],
  ['travelling waves', tips, ['travelling'], 1, 30, [30, -30, 60, -110], [1e-6, 1e-6, 1e-7, 1e-9]],
] // prettier-ignore

describe.each(subjects)('%s', (_, mesh, secondOrder, lambda, segmentsPerWavelength, angles, most) => {
  const options: EdgeOptions = { diffraction: 'tw-ildc', secondOrder }
  const engineOf = (of: Mesh, workers = 0) => {
    const { edges, rays } = scenes(of)
    const worker = new URL('../../dist/src/thread.js', import.meta.url)
    return createEdgeEngine(edges, rays, { workers, worker })
  }
  const band = { f0: C0 / lambda, df: 0.004 * (C0 / lambda), n: 41 }
  const one = { ...band, n: 1 }
  /** What the mechanisms add to first order, or that. */
  const field = async (of: Mesh, aspect: Aspect, over = one, more: Partial<EdgeOptions> = {}) => {
    const { field: whole, parts } = await engineOf(of).field({
      aspect,
      band: over,
      options: { ...options, apart: secondOrder.length > 0, ...more },
    })
    return parts === undefined ? whole : whole.map((x, i) => x - parts[0][i])
  }
  const [theta, phi, rxTheta, rxPhi] = angles
  const aspect = aspectOf(...angles)
  const there = field(mesh, aspect)

  it('are there, and move in phase with the target', async () => {
    const by: Vec3 = [0.7, -0.4, 0.25]
    const turn = (2 * Math.PI * (dot(by, aspect.tx.r) + dot(by, aspect.rx.r))) / lambda
    const [c, s] = [Math.cos(turn), Math.sin(turn)]
    const plain = await there
    expect(Math.hypot(...plain)).toBeGreaterThan(1e-4)
    const expected = plain.map((x, i) => (i % 2 === 0 ? c * x - s * plain[i + 1] : c * x + s * plain[i - 1]))
    expect(relativeDifference(await field(moved(mesh, by), aspect), expected)).toBeLessThan(most[0])
  })

  it('turn with the target', async () => {
    const [c, s] = [Math.cos(0.5), Math.sin(0.5)]
    const turned = mapped(mesh, ([x, y, z]) => [c * x - s * y, s * x + c * y, z])
    const by = (0.5 * 180) / Math.PI
    const seen = await field(turned, aspectOf(theta, phi + by, rxTheta, rxPhi + by))
    expect(relativeDifference(seen, await there)).toBeLessThan(most[1])
  })

  it.runIf(most.length > 3)('are reciprocal', async () => {
    const [vv, vvIm, hh, hhIm, vh, vhIm, hv, hvIm] = await field(mesh, aspectOf(rxTheta, rxPhi, theta, phi))
    expect(relativeDifference([vv, vvIm, hh, hhIm, hv, hvIm, vh, vhIm], await there)).toBeLessThan(most[3]!)
  })

  // Travelling waves have the same nodes either way: travelling.slow.test.ts.
  it('are interpolated over a band', async () => {
    const exact = await field(mesh, aspect, band, { exact: true })
    expect(relativeDifference(await field(mesh, aspect, band), exact)).toBeLessThan(most[2])
  })

  it('have the same bytes whatever the split and the threads', async () => {
    const job = { aspect, band: { ...band, n: 3 }, options: { ...options, segmentsPerWavelength } }
    const engine = engineOf(mesh)
    const { field: whole } = await engine.field(job)
    expect((await engine.fieldOnOneThread(job)).field).toEqual(whole)
    const prepared = await engine.prepare(job)
    expect(prepared.blocks).toBeGreaterThan(2)
    const sums = []
    for (let b = prepared.blocks - 1; b >= 0; b--) sums.push(await engine.evaluate(prepared, b, b + 1))
    expect(engine.finish(prepared, sums)).toEqual(whole)
    const [first, rest] = [
      await engine.evaluate(prepared, 0, 1),
      await engine.evaluate(prepared, 1, prepared.blocks),
    ]
    expect(engine.finish(prepared, [rest, first])).toEqual(whole)
    for (const workers of [1, 2]) {
      const threads = engineOf(mesh, workers)
      expect((await threads.field(job)).field).toEqual(whole)
      await threads.close()
    }
  })
})
