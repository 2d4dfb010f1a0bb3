import { expect, test } from 'vitest'
import { bruteForce } from '../../reproduction/brute-force.js'
import { createCpuEngine } from '../../cpu-sbr/index.js'
import { models } from '../../samples/models/index.js'
import { C0 } from '../../scene/index.js'
import { RayCaster, withoutLists } from '../../rays/index.js'
import { monostatic, norm, sbrJob, testScene } from '../helpers/sbr.js'

test.each([
  ['ship-1m', 16],
  ['deckhouse', 8],
  ['trihedral-square', 12],
] as const)('%s: brute force gives the bytes of the BVH on the CPU', async (name, wavelengths) => {
  const { scene, area } = testScene(models[name].make())
  const f0 = (wavelengths * C0) / scene.diagonal
  for (const [theta, phi] of [
    [45, 0],
    [70, 35],
  ]) {
    const job = sbrJob(monostatic(theta, phi), { f0, df: 0, n: 1 }, { maxBounces: 3, formulation: 'exit' })
    const [brute, stack, lists] = await Promise.all(
      [bruteForce(scene), withoutLists(scene), scene].map((s) => createCpuEngine(s, area, 0).field(job)),
    )
    expect(norm(brute.field)).toBeGreaterThan(0)
    expect(brute.statistics).toEqual(stack.statistics)
    for (const { field } of [stack, lists]) expect(brute.field).toEqual(field)
  }
})

test('brute force tests all facets: it meets the same ones without the boxes of the BVH', () => {
  const { scene } = testScene(models.missile.make())
  const { nodes, pairs, ropes } = bruteForce(scene)
  expect(new Uint32Array(nodes.buffer)[7]).toBe(scene.count)
  expect(nodes).toHaveLength(8)
  expect(ropes).toHaveLength(7)
  expect(pairs.boxes).toHaveLength(0)
  const casters = [scene, bruteForce(scene)].map((s) => new RayCaster(s))
  let met = 0
  for (let i = 0; i < 2000; i++) {
    const [a, b] = [(i * 0.618034) % 1, (i * 0.754878) % 1]
    const direction = monostatic(180 * a, 360 * b).tx.r
    // Towards points in and about the target.
    const o = direction.map((x, k) => scene.diagonal * (x + 0.3 * Math.sin(7 * i + k)))
    const hits = casters.map((c) => {
      const hit = c.nearest(o[0], o[1], o[2], -direction[0], -direction[1], -direction[2], -1)
      return { hit, t: c.t, facet: c.facet }
    })
    expect(hits[1]).toEqual(hits[0])
    if (hits[0].hit) met++
  }
  expect(met).toBeGreaterThan(100)
})
