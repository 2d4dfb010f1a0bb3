import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { sphere } from '../../samples/models/canonical.js'
import type { Material } from '../../scene/materials/index.js'
import { coating, layer } from '../helpers/materials.js'
import { amplitude, db, monostatic, oneFrequency, sbrJob, solve, testScene } from '../helpers/sbr.js'

/** Of a solid body that absorbs what enters. */
const solid = (eps: [number, number]): Material => ({
  name: 'solid',
  kind: 'opaque',
  stack: [],
  backing: layer(eps, 1).medium,
  facet: 'outer',
  sides: 'both',
})

const spheres: [string, (lambda: number) => Material][] = [
  ['coated_magram', (lambda) => coating(layer([12, -0.6], 0.05 * lambda, [2.2, -1.6]))],
  [
    'coated_two_layer',
    (lambda) => coating(layer([3.2, -0.9], 0.05 * lambda), layer([9, -0.4], 0.04 * lambda, [1.6, -1.1])),
  ],
  ['dielectric_lossy', () => solid([3, -0.6])],
]

test.each(spheres)('sphere, %s: backscatter is that of the Mie series', async (name, of) => {
  const rows = readFileSync(
    new URL(`../validation/materials/sphere_${name}_mono.csv`, import.meta.url),
    'utf8',
  )
    .split('\n')
    .filter((line) => /^\d/.test(line))
    .map((line) => line.split(',').map(Number))
    .filter(([ka]) => ka <= 30 && ka % 0.5 === 0)
  let [sum, wanted] = [0, 0]
  const errors: number[] = []
  for (const [ka, , , re, im] of rows) {
    const lambda = (2 * Math.PI) / ka
    const scene = testScene({ ...sphere(1, 5), groupMaterials: [of(lambda)] })
    const job = sbrJob(monostatic(61, 24), oneFrequency(lambda), { maxBounces: 1, raysPerWavelength: 6 })
    const { field } = await solve(scene, job)
    const [gotRe, gotIm] = amplitude(field, 'vv')
    sum += gotRe ** 2 + gotIm ** 2
    wanted += re ** 2 + im ** 2
    errors.push(db((gotRe ** 2 + gotIm ** 2) / (re ** 2 + im ** 2)))
  }
  const rms = Math.sqrt(errors.reduce((s, e) => s + e * e, 0) / errors.length)
  // Physical optics itself has 0.02 to 0.11 dB; the facets add the rest.
  expect(rms).toBeLessThan(0.4)
  expect(Math.abs(db(sum / wanted))).toBeLessThan(0.2)
})
