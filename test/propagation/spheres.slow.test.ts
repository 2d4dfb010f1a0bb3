import { describe, expect, it } from 'vitest'
import { createCpuPropagation, type PropagationResult } from '../../propagation/engines.js'
import { circumradius, FACES, vertexDirection } from '../../propagation/paths/geodesic.js'
import { imageTheory } from '../../propagation/fields/path-fields.js'
import type { PropagationScene } from '../../propagation/scene/build.js'
import { channelFigures } from '../../propagation/results/table.js'
import { SUM } from '../../propagation/setup.js'
import type { Vec3 } from '../../scene/index.js'
import { setupOf, streetScene, tunnelRoom, tunnelScene } from './scenes.js'

const ORDER = 6
const points = Array.from({ length: 30 }, (_, i): Vec3 => [1.9, 1.7, 3 + 1.7 * i])
const scene = tunnelScene(80, points, { maxReflections: ORDER, reception: 'spheres' })
const run = (
  given: PropagationScene,
  subdivision: number,
  listed: number[] = [],
): Promise<PropagationResult> => createCpuPropagation(setupOf(given), 0).run({ subdivision, listed })

/** Error of the transfers against image theory, of all receivers together, relative to the field of all. */
function imageError({ sums }: PropagationResult): number {
  let [error, size] = [0, 0]
  points.forEach((receiver, r) => {
    const { transmitter, transmitAntenna, receiveAntenna } = scene
    const link = {
      transmitter,
      receiver,
      freqHz: 1e9,
      transmitAntenna,
      receiveAntenna,
      transmit: 'v' as const,
    }
    const exact = imageTheory(tunnelRoom(80), link, ORDER).transfer
    const r0 = Math.hypot(...transmitter.map((x, a) => x - receiver[a]))
    const { transfer } = channelFigures(sums, SUM.length * r, r0, 1e9)
    for (let k = 0; k < 4; k++) {
      error += (transfer[k] - exact[k]) ** 2
      size += exact[k] ** 2
    }
  })
  return Math.sqrt(error / size)
}

describe('reception spheres', () => {
  it('cover every direction: a triangle lies in the cones of its corners', () => {
    const n = 7
    const corner = new Float64Array(3)
    for (let face = 0; face < FACES; face += 7)
      for (let i = 0; i < n; i++)
        for (let j = 0; i + j < n; j++) {
          const corners = [[i, j], [i + 1, j], [i, j + 1]].map(([k, l]) => {
            vertexDirection(n, face, k, l, corner)
            return { d: Array.from(corner), sine: circumradius(n, face, k, l) }
          }) // prettier-ignore
          for (let s = 0; s <= 10; s++)
            for (let t = 0; s + t <= 10; t++) {
              const p = [0, 1, 2].map((a) => (10 - s - t) * corners[0].d[a] + s * corners[1].d[a] + t * corners[2].d[a]) // prettier-ignore
              const length = Math.hypot(...p)
              const inside = corners.filter(({ d, sine }) => {
                const cosine = p.reduce((sum, x, a) => sum + x * d[a], 0) / length
                return Math.sqrt(Math.max(0, 1 - cosine * cosine)) <= sine * (1 + 1e-9)
              })
              expect(inside.length).toBeGreaterThan(0)
            }
        }
  })

  it('every image is met once, and the field comes to image theory with the ray spacing', async () => {
    const images = 1 + 2 * ORDER * (ORDER + 1)
    const [coarse, fine] = [await run(scene, 100), await run(scene, 200)]
    for (const { statistics } of [coarse, fine]) {
      expect(statistics.paths).toBe(images * points.length)
      // Cones overlap: double counts were there to be removed.
      expect(statistics.candidates).toBeGreaterThan(1.1 * statistics.paths)
    }
    const [a, b] = [imageError(coarse), imageError(fine)]
    expect(b).toBeLessThan(0.01)
    expect(b).toBeGreaterThan(1e-6)
    // Angles are off by the spacing, lengths by its square.
    expect(a / b).toBeGreaterThan(1.6)
    expect(a / b).toBeLessThan(4)
  })

  it('gives the same bytes whatever the batches, and lists the rays as paths', async () => {
    const given = streetScene(
      Array.from({ length: 40 }, (_, i): Vec3 => [22 + 0.1 * i, -30 + 2 * i, 1.5]),
      { reception: 'spheres', transmit: ['v', 'h'], freqHz: [1e9, 2e9] },
    )
    const one = await run(given, 30, [7])
    const many = await createCpuPropagation(setupOf(given), 0).run({
      subdivision: 30,
      batchRays: 70,
      listed: [7],
    })
    expect(one.statistics.paths).toBeGreaterThan(80)
    expect(many.sums).toEqual(one.sums)
    expect(many.paths).toEqual(one.paths)
    const at = SUM.length * 4 * 7 + SUM.transfer
    const r0 = Math.hypot(...given.transmitter.map((x, a) => x - given.receivers[21 + a]))
    const sum = one.paths.reduce((s, p) => s + p.transfers[0], 0)
    expect((sum * 4 * Math.PI * r0 * 1e9) / 299_792_458).toBeCloseTo(one.sums[at], 9)
  })
})
