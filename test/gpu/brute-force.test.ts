import { expect, test } from 'vitest'
import { bruteForce } from '../../reproduction/brute-force.js'
import { models } from '../../samples/models/index.js'
import { C0 } from '../../scene/band.js'
import { fileGpu, sharedEngines } from '../helpers/gpu.js'
import { monostatic, norm, sbrJob, testScene } from '../helpers/sbr.js'

const make = sharedEngines(await fileGpu())

test.each([
  ['ship-1m', 16],
  ['deckhouse', 12],
] as const)('%s: brute force gives the bytes of the BVH on the GPU', async (name, wavelengths) => {
  const { scene, area } = testScene(models[name].make())
  const f0 = (wavelengths * C0) / scene.diagonal
  const job = sbrJob(monostatic(45, 20), { f0, df: 0, n: 1 }, { maxBounces: 3, formulation: 'exit' })
  // The kernels of brute force are those of the ropes.
  const run = (rays: typeof scene, traversal: 'stack' | 'ropes') =>
    make({ scene: rays, area }, { traversal }).field(job)
  const stack = await run(scene, 'stack')
  expect(norm(stack.field)).toBeGreaterThan(0)
  for (const other of [await run({ ...scene, ...bruteForce(scene) }, 'ropes'), await run(scene, 'ropes')]) {
    expect(other.statistics).toEqual(stack.statistics)
    expect(other.field).toEqual(stack.field)
  }
})
