import { expect, test } from 'vitest'
import { ENDS, GOES_ON, HIT, LAUNCH, PathFields, REFLECTED } from '../../cpu-sbr/materials/path-fields.js'
import { plate } from '../../samples/models/canonical.js'
import type { Material } from '../../scene/materials/index.js'
import { impedance, made, sheet } from '../helpers/materials.js'
import { sbrJob, testScene } from '../helpers/sbr.js'
import { aspectOf } from '../oracle/cases.js'

const decibels = (x: number): number => 10 ** (x / 20)

/** Whether the reflected and the transmitted wave of the incidence straight onto a plate are followed. */
function followed(material: Material): [reflected: boolean, transmitted: boolean] {
  const { scene } = testScene(made([plate(1), material]))
  const { aspect, options } = sbrJob(aspectOf(0, 0), { f0: 1e9, df: 0, n: 1 }, { maxBounces: 3 })
  const fields = new PathFields(scene, scene.materials!, { aspect, options }, [0, 0, -1], Float64Array.of(20))
  const path = fields.child(LAUNCH, REFLECTED, 0)
  expect(fields.hits[HIT.size * path + HIT.cosine]).toBeCloseTo(-1, 12)
  expect(fields.reflects[path] === ENDS || fields.reflects[path] === GOES_ON).toBe(true)
  return [fields.reflects[path] === GOES_ON, fields.transmits[path] === 1]
}

/** A film whose T is so large: T = 2z / (1 + 2z), R = T - 1. */
const film = (t: number): Material => sheet({ impedance: [(376.730313668 * t) / (2 * (1 - t)), 0] })

test('of two waves that leave a sheet the weaker one is followed above -30 dB, the stronger one above -50 dB', () => {
  expect(followed(film(decibels(-29.9)))).toEqual([true, true])
  expect(followed(film(decibels(-30.1)))).toEqual([true, false])
  expect(followed(film(1 - decibels(-29.9)))).toEqual([true, true])
  expect(followed(film(1 - decibels(-30.1)))).toEqual([false, true])
})

test('behind opaque facets waves are followed above -50 dB', () => {
  const mirror = (r: number): Material => impedance((1 + r) / (1 - r))
  expect(followed(mirror(decibels(-49.9)))).toEqual([true, false])
  expect(followed(mirror(decibels(-50.1)))).toEqual([false, false])
})
