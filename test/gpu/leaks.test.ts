import { expect, test } from 'vitest'
import { RayQuery } from '../helpers/ray-query.js'
import { models } from '../../samples/models/index.js'
import { AimedRays } from '../oracle/aimed-rays.js'
import { C0 } from '../../scene/index.js'
import { DEPTH, sharedGpu, sharedEngines } from '../helpers/gpu.js'
import { random } from '../helpers/random.js'
import { monostatic, sbrJob, testScene } from '../helpers/sbr.js'
import { scaled, rows } from '../scene/shapes.js'

const context = await sharedGpu()
const engineOf = await sharedEngines()

// Convex bodies: a ray that slips between two facets meets the far side from within, and a ray that starts below the
// facet it left meets something a second time.
test.each([
  ['cube', 1e-3],
  ['cube', 1],
  ['cube', 1e3],
  ['sphere', 1e-3],
  ['sphere', 1],
  ['sphere', 1e3],
])('%s, scaled by %s: rays are reflected once, off facets that face them', async (name, scale) => {
  const target = testScene(scaled(models[name].make(), scale))
  const { diagonal, normals } = target.scene
  const top = (12 * C0) / diagonal
  for (const [theta, phi] of rows('74 31, 131 -102')) {
    const aspect = monostatic(theta, phi)
    const d = aspect.tx.r.map((x) => -x)
    let paths = 0
    await engineOf(target).paths(sbrJob(aspect, { f0: top, df: 0, n: 1 }), ({ facets: [facet, ...more] }) => {
      const n = normals.subarray(4 * facet, 4 * facet + 3)
      expect(more).toEqual([])
      expect(n[0] * d[0] + n[1] * d[1] + n[2] * d[2]).toBeLessThan(1e-5)
      paths++
    })
    expect(paths).toBeGreaterThan(3000)
  }
})

test.each([
  ['sphere', 'stack', 1e-3],
  ['sphere', 'ropes', 1],
  ['missile', 'ropes', 1],
  ['aircraft-a', 'stack', 1],
  ['deckhouse', 'stack', 1],
] as const)(
  '%s, %s, scaled by %s: no ray aimed at an edge or a vertex slips through',
  async (name, traversal, scale) => {
    const { target, scene } = testScene(scaled(models[name].make(), scale))
    const aimed = new AimedRays(target, scene, random(3))
    const count = 30000
    const rays = new Float32Array(8 * count)
    const distances: number[] = []
    while (distances.length < count) {
      if (!aimed.draw(distances.length % 2 === 1)) continue
      rays.set(aimed.o, 8 * distances.length)
      rays.set(aimed.d, 8 * distances.length + 4)
      distances.push(aimed.distance)
    }
    const { t, facet } = await new RayQuery(context, { ...scene, depth: DEPTH }, traversal).nearest(rays)
    expect(facet.indexOf(0xffffffff)).toBe(-1)
    const behind = distances.map((distance, i) => (t[i] - distance) / scene.diagonal)
    expect(Math.max(...behind)).toBeLessThan(2e-5)
  },
)
