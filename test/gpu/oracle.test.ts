import { expect, test } from 'vitest'
import { aspectOf, casesOf, sbrCase, sbrCases } from '../oracle/cases.js'
import { sbrReference } from '../oracle/sbr.js'
import { sharedEngines } from '../helpers/gpu.js'
import { norm, sbrJob, testScene, sameBytes, solve } from '../helpers/sbr.js'
import { plate, sphere, squareTrihedral } from '../../samples/models/canonical.js'
import type { Mesh } from '../../scene/index.js'
import type { Material } from '../../scene/materials/index.js'
import { coating, CONDUCTOR, layer, made } from '../helpers/materials.js'
import { moved } from '../scene/shapes.js'

const engineOf = await sharedEngines()

/** What single precision costs on the same paths, as in parity.test.ts; no ray of these cases meets another facet for it. */
const SINGLE = 1e-7

test.each(sbrCases)('%s: the GPU gives what the plain reference gives', async (_, make) => {
  const { target, aspect, band, options, mirror } = make()
  const reference = sbrReference(target, aspect, band, options)
  const engine = engineOf(testScene(target, options.smoothAngleDeg))
  const { field, statistics } = await engine.field(
    sbrJob(aspect, band, { ...options, frequencySum: 'direct' }),
  )
  expect(statistics.leaves).toBe(reference.leaves)
  expect(statistics.contributions).toBe(reference.contributions)
  expect(norm(field.map((x, i) => x - reference.field[i]))).toBeLessThan(SINGLE * mirror)
})

const ABSORBER = coating(layer([12, -0.6], 0.02, [2.2, -1.6]))
const PAINT = coating(layer([4, -0.3], 0.03))
const FRONT = { ...ABSORBER, sides: 'front' as const }

const of = (mesh: Mesh, material: Material) => (): Mesh => made([mesh, material])
const overPlate = (): Mesh => made([squareTrihedral(1), CONDUCTOR], [moved(plate(1), [-0.6, 0, -0.3]), PAINT])

const cases = casesOf([
  ['coated plate, bistatic', of(plate(1), ABSORBER), [34, 12, 71, -108]],
  ['plate coated in front, from behind', of(plate(1), FRONT), [134, 12]],
  ['painted trihedral', of(squareTrihedral(1), PAINT), [52, 38, 66, 19]],
  ['trihedral over a painted plate', overPlate, [52, 38]],
  ['painted sphere of one smooth surface', of(sphere(1, 1), PAINT), [57, 35], { smoothAngleDeg: 50 }],
])

test.each(cases)('%s: the GPU gives what the plain reference gives', async (_, make) => {
  const { target, aspect, band, options, mirror } = make()
  const { field: want } = sbrReference(target, aspect, band, options)
  const engine = engineOf(testScene(target, options.smoothAngleDeg))
  const { field } = await engine.field(sbrJob(aspect, band, options))
  expect(norm(want)).toBeGreaterThan(1e-3 * mirror)
  expect(norm(field.map((x, i) => x - want[i]))).toBeLessThan(5e-7 * mirror)
})

/** A table whose middle is a kink. */
const KINKED = coating({
  medium: {
    name: 'm',
    frequencies: [0.5e9, 0.9e9, 1.5e9],
    values: [
      [12, -0.6, 2.6, -1.7, 0],
      [11, -0.6, 2.2, -1.6, 0],
      [11.8, -0.6, 1.9, -1.5, 0],
    ],
  },
  thickness: 0.02,
})

test.each([
  ['a painted trihedral', of(squareTrihedral(1), PAINT)],
  ['a trihedral over a painted plate', overPlate],
  ['a trihedral of a medium whose table has a kink', of(squareTrihedral(1), KINKED)],
])('%s: many frequencies are those of the engine in double precision', async (_, mesh) => {
  const { target, aspect, options } = sbrCase(mesh(), aspectOf(52, 38))
  const band = { f0: 0.8e9, df: 2e6, n: 140 }
  const scene = testScene(target, options.smoothAngleDeg)
  const job = sbrJob(aspect, band, options)
  const { field } = await engineOf(scene).field(job)
  const { field: want } = await solve(scene, { ...job, options: { ...job.options, frequencySum: 'direct' } })
  expect(norm(field.map((x, i) => x - want[i]))).toBeLessThan(3e-6 * norm(want))
})

test('sums between nodes agree with the direct ones', async () => {
  const { target, aspect, options } = sbrCase(made([sphere(1, 2), KINKED]), aspectOf(52, 38), {
    smoothAngleDeg: 50,
  })
  const engine = engineOf(testScene(target, options.smoothAngleDeg))
  const [direct, fast] = await Promise.all(
    (['direct', 'fast'] as const).map((frequencySum) =>
      engine.field(sbrJob(aspect, { f0: 0.8e9, df: 2e6, n: 140 }, { ...options, frequencySum })),
    ),
  )
  const difference = norm(fast.field.map((x, i) => x - direct.field[i])) / norm(direct.field)
  expect(difference).toBeLessThan(1e-5)
  expect(difference).toBeGreaterThan(0)
})

test('what meets conductors alone has the bytes that it has without materials, summed directly or fast', async () => {
  const { aspect, options } = sbrCase(made([sphere(1, 2), CONDUCTOR]), aspectOf(52, 38), {
    smoothAngleDeg: 50,
  })
  const band = { f0: 0.8e9, df: 2e6, n: 60 }
  // The plate stands below a larger one, unseen.
  const body = moved(sphere(1, 2), [0, 0, 2])
  const hiding = (hidden: Material) =>
    made([body, CONDUCTOR], [plate(4), CONDUCTOR], [moved(plate(1), [0, 0, -0.5]), hidden])
  const engines = [hiding(PAINT), { ...hiding(PAINT), groupMaterials: undefined }].map((mesh, i) => {
    const target = testScene(mesh, options.smoothAngleDeg)
    expect(target.scene.materials !== undefined).toBe(i === 0)
    return engineOf(target)
  })
  for (const frequencySum of ['direct', 'fast'] as const) {
    const job = sbrJob(aspect, band, { ...options, frequencySum })
    const [painted, bare] = [await engines[0].field(job), await engines[1].field(job)]
    expect(norm(bare.field)).toBeGreaterThan(1)
    expect(sameBytes(painted.field, bare.field)).toBe(true)
  }
})
