import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createCpuPropagation } from '../../propagation/engines.js'
import { boxMesh, polygonMesh, type PropagationScene } from '../../propagation/scene/build.js'
import { imageTheory } from '../../propagation/fields/path-fields.js'
import { channelFigures, type ChannelFigures } from '../../propagation/results/table.js'
import { type PropagationSetup, SUM } from '../../propagation/setup.js'
import { C0, type Vec3 } from '../../scene/index.js'
import { setupOf, streetScene, tunnelRoom, tunnelScene } from './scenes.js'
import { rows } from '../scene/shapes.js'

const table = (name: string): number[][] =>
  readFileSync(new URL(`../validation/analytic/${name}`, import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(',').map(Number))

const run = (setup: PropagationSetup, subdivision: number, listed: number[] = []) =>
  createCpuPropagation(setup, 0).run({ subdivision, listed })

const far = (scene: PropagationScene, r: number): number =>
  Math.hypot(...scene.transmitter.map((x, a) => x - scene.receivers[3 * r + a]))

const figures = (scene: PropagationScene, sums: Float64Array, r: number, e = 0): ChannelFigures => {
  const excitations = scene.freqHz.length * scene.transmit.length
  const freqHz = scene.freqHz[Math.floor(e / scene.transmit.length)]
  return channelFigures(sums, SUM.length * (r * excitations + e), far(scene, r), freqHz)
}

const decibels = (re: number, im: number): number => 10 * Math.log10(re * re + im * im)

describe('image theory', () => {
  it('is the independent tunnel curve, amplitude and phase', () => {
    const curve = table('g_tunnel_4x4_eps5_1GHz.csv')
    const { transmitAntenna, receiveAntenna, transmitter } = tunnelScene(1000, [[1.9, 1.7, 1]])
    for (const row of [curve[0], curve[95], curve[2000]]) {
      const { transfer } = imageTheory(
        tunnelRoom(1000),
        {
          transmitter,
          receiver: [1.9, 1.7, row[0]],
          freqHz: 1e9,
          transmitAntenna,
          receiveAntenna,
          transmit: 'v',
        },
        60,
      )
      expect(decibels(transfer[0], transfer[1])).toBeCloseTo(row[1], 5)
      const scale = (4 * Math.PI * 1e9) / C0
      expect(transfer[0] * scale).toBeCloseTo(row[2], 8)
      expect(transfer[1] * scale).toBeCloseTo(row[3], 8)
    }
  })
})

describe('rays on the cpu', () => {
  it('free space: Friis, to rounding', async () => {
    const sheet = polygonMesh(rows('500 500 500, 501 500 500, 500 501 500'))
    const points: Vec3[] = rows('3 4 12, -200 30 7')
    const scene = tunnelScene(1, points, { mesh: sheet, transmitter: [0, 0, 0], maxReflections: 3 })
    const { sums, statistics } = await run(setupOf(scene), 6)
    expect(statistics.paths).toBe(2)
    points.forEach((p, r) => {
      const { transfer, meanDelay, delaySpread } = figures(scene, sums, r)
      const distance = Math.hypot(...p)
      expect(decibels(transfer[0], transfer[1])).toBeCloseTo(
        20 * Math.log10(C0 / 1e9 / (4 * Math.PI * distance)),
        9,
      )
      expect(Math.atan2(transfer[1], transfer[0])).toBeCloseTo(
        Math.atan2(Math.sin((-2e9 * Math.PI * distance) / C0), Math.cos((-2e9 * Math.PI * distance) / C0)),
        6,
      )
      expect(meanDelay).toBeCloseTo(distance / C0, 15)
      expect(delaySpread).toBeCloseTo(0, 12)
    })
  })

  it('two rays over ground: the closed form in both polarisations within 1e-4 dB', async () => {
    const curve = table('g_two_ray_eps5_1GHz_h2.0_h1.5.csv')
    const scene = tunnelScene(
      1,
      curve.map(([d]) => [d, 0, 1.5]),
      {
        mesh: polygonMesh(rows('-50 -600 0, 2000 -600 0, 2000 600 0, -50 600 0')),
        transmitter: [0, 0, 2],
        // Flush with the ground: it still reflects.
        region: { min: [-50, -600, 0], max: [2000, 600, 50] },
        transmit: ['v', 'h'],
        maxReflections: 2,
      },
    )
    for (const antenna of [scene.transmitAntenna, scene.receiveAntenna])
      Object.assign(antenna, { axis: [0, 0, 1], side: [1, 0, 0] })
    const { sums, statistics } = await run(setupOf(scene), 40)
    expect(statistics.paths).toBe(2 * curve.length)
    curve.forEach(([, v, h], r) => {
      const vertical = figures(scene, sums, r, 0).transfer
      const horizontal = figures(scene, sums, r, 1).transfer
      expect(decibels(vertical[0], vertical[1])).toBeCloseTo(v, 4)
      expect(decibels(horizontal[2], horizontal[3])).toBeCloseTo(h, 4)
    })
  })

  it('a tunnel: every image once, and the sum of image theory', async () => {
    const order = 6
    const points = Array.from({ length: 30 }, (_, i): Vec3 => [1.9, 1.7, 3 + 1.7 * i])
    const scene = tunnelScene(80, points, { maxReflections: order })
    const { sums, statistics, paths } = await run(setupOf(scene), 40, [4])
    // |m| + |n| <= order
    const images = 1 + 2 * order * (order + 1)
    expect(statistics.paths).toBe(images * points.length)
    expect(statistics.escaped).toBe(0)
    points.forEach((receiver, r) => {
      const { transmitter, transmitAntenna, receiveAntenna } = scene
      const exact = imageTheory(
        tunnelRoom(80),
        { transmitter, receiver, freqHz: 1e9, transmitAntenna, receiveAntenna, transmit: 'v' },
        order,
      )
      expect(exact.images).toBe(images)
      const { field, transfer } = figures(scene, sums, r)
      for (let k = 0; k < 6; k++) expect(field[k]).toBeCloseTo(exact.field[k], 9)
      for (let k = 0; k < 4; k++) expect(transfer[k]).toBeCloseTo(exact.transfer[k], 10)
    })
    // The list of paths of a receiver adds up to its field.
    expect(paths).toHaveLength(images)
    const sum = paths.reduce((s, p) => s + p.transfers[0], 0)
    expect(sum).toBeCloseTo(figures(scene, sums, 4).transfer[0], 12)
    expect(paths[0]).toMatchObject({ receiver: 4, points: [] })
    expect(paths[0].length).toBeCloseTo(far(scene, 4), 9)
  })

  it('a closed room of three materials with images along all axes', async () => {
    const concrete = [5.2, -0.8] as [number, number]
    const points: Vec3[] = rows('4.1 2.2 1.3, 0.7 3.9 2.5')
    const scene = tunnelScene(1, points, {
      mesh: boxMesh([0, 0, 0], [5, 4, 3], [], true),
      transmitter: [1.1, 1.3, 0.9],
      transmit: ['h'],
      maxReflections: 4,
      materials: (f) => [{ epsilonR: 5.2, sigma: 0.8 * 2 * Math.PI * f * 8.8541878188e-12 }],
    })
    const { sums, statistics } = await run(setupOf(scene), 60)
    const walls = Array.from({ length: 6 }, () => concrete)
    points.forEach((receiver, r) => {
      const { transmitter, transmitAntenna, receiveAntenna } = scene
      const exact = imageTheory(
        { min: [0, 0, 0], max: [5, 4, 3], walls },
        { transmitter, receiver, freqHz: 1e9, transmitAntenna, receiveAntenna, transmit: 'h' },
        4,
      )
      expect(statistics.paths).toBe(2 * exact.images)
      const { field } = figures(scene, sums, r)
      for (let k = 0; k < 6; k++) expect(field[k]).toBeCloseTo(exact.field[k], 9)
    })
  })

  it('gives a receiver the same bytes whatever the batches and other receivers', async () => {
    const all = Array.from({ length: 40 }, (_, i): Vec3 => [22 + 0.1 * i, -30 + 2 * i, 1.5])
    const some = all.filter((_, i) => i % 7 === 3)
    const given = { diffraction: true }
    const setup = setupOf(streetScene(all, given))
    const one = await createCpuPropagation(setup, 0).run({ subdivision: 30 })
    const many = await createCpuPropagation(setup, 0).run({ subdivision: 30, batchRays: 70 })
    expect(one.statistics.paths).toBeGreaterThan(150)
    expect(one.statistics.diffracted).toBeGreaterThan(20)
    expect(many.sums).toEqual(one.sums)
    const few = await run(setupOf(streetScene(some, given)), 30)
    some.forEach((p, i) => {
      const r = all.indexOf(p)
      expect(few.sums.subarray(SUM.length * i, SUM.length * (i + 1))).toEqual(
        one.sums.subarray(SUM.length * r, SUM.length * (r + 1)),
      )
    })
    // One far outside widens the region in which rays are followed.
    const wide = await run(setupOf(streetScene([...all, [400, -300, 250]], given)), 30)
    expect(wide.sums.subarray(0, one.sums.length)).toEqual(one.sums)
  })

  it('more rays add paths and change none', async () => {
    const setup = setupOf(streetScene([[25, 40, 2]]))
    const coarse = await run(setup, 12, [0])
    const fine = await run(setup, 60, [0])
    const key = (p: { length: number }): string => p.length.toFixed(6)
    const found = new Set(fine.paths.map(key))
    expect(coarse.paths.length).toBeGreaterThan(3)
    for (const path of coarse.paths) expect(found.has(key(path))).toBe(true)
    expect(fine.paths.length).toBeGreaterThanOrEqual(coarse.paths.length)
  })
})

describe('edge diffraction', () => {
  it('makes the field continuous where a corner hides the transmitter', async () => {
    // Across the shadow boundary of the corner of a wide absorbing-like house: steps of a millimetre at 1 GHz.
    const scene = (diffraction: boolean): PropagationScene =>
      tunnelScene(
        1,
        Array.from({ length: 41 }, (_, i): Vec3 => [20, -9.98 + 0.001 * i - 0.0203, 100]),
        {
          mesh: boxMesh([-40, -400, -3000], [0, 0, 3000]),
          transmitter: [-60, 30, 100],
          transmitAntenna: {
            ...tunnelScene(1, [[0, 0, 0]]).transmitAntenna,
            axis: [0, 0, 1],
            side: [1, 0, 0],
          },
          receiveAntenna: { ...tunnelScene(1, [[0, 0, 0]]).receiveAntenna, axis: [0, 0, 1], side: [1, 0, 0] },
          materials: () => ['pec'],
          transmit: ['v', 'h'],
          maxReflections: 1,
          diffraction,
        },
      )
    const largestStep = async (diffraction: boolean, e: number): Promise<number> => {
      const given = scene(diffraction)
      const { sums } = await run(setupOf(given), 30)
      const channel = e === 0 ? 0 : 2
      let most = 0
      for (let r = 1; r < 41; r++) {
        const [a, b] = [r - 1, r].map((i) => figures(given, sums, i, e).transfer)
        const scale = (C0 / 1e9 / (4 * Math.PI * far(given, r))) as number
        most = Math.max(most, Math.hypot(a[channel] - b[channel], a[channel + 1] - b[channel + 1]) / scale)
      }
      return most
    }
    for (const e of [0, 1]) {
      // Without the edge the direct wave ends all at once.
      expect(await largestStep(false, e)).toBeGreaterThan(0.9)
      expect(await largestStep(true, e)).toBeLessThan(0.03)
    }
  })

  it('is reciprocal, and leaves out edges that stand on another surface', async () => {
    const receiver: Vec3 = [-12, 12, 5]
    const there = streetScene([receiver], { diffraction: true, maxReflections: 0 })
    const back = { ...there, transmitter: receiver, receivers: Float64Array.from(there.transmitter) }
    const setup = setupOf(there)
    const a = await run(setup, 8, [0])
    const b = await run(setupOf(back), 8)
    expect(a.statistics.diffracted).toBeGreaterThan(0)
    expect(b.statistics.diffracted).toBe(a.statistics.diffracted)
    const [ta, tb] = [figures(there, a.sums, 0).transfer, figures(back, b.sums, 0).transfer]
    expect(Math.hypot(ta[0] - tb[0], ta[1] - tb[1])).toBeLessThan(1e-3 * Math.hypot(ta[0], ta[1]))
    // Two houses have 8 free edges each (4 upright, 4 of the roof), the ground its 4 rims; the 8 at the houses' feet are none.
    expect(setup.wedges!.edge).toHaveLength(2 * 8 + 4)
  })
})
