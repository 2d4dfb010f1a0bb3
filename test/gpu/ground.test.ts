import { expect, test } from 'vitest'
import { plate } from '../../samples/models/canonical.js'
import type { Ground } from '../../scene/ground/index.js'
import type { Mesh } from '../../scene/index.js'
import { raysOverGround } from '../../run/ground.js'
import { sharedEngines } from '../helpers/gpu.js'
import { dielectric, mirror, overGround, raysOver } from '../helpers/ground.js'
import { coating, CONDUCTOR, layer, made, sheet } from '../helpers/materials.js'
import { bandUpTo, monostatic, relativeDifference, sameBytes, sbrJob } from '../helpers/sbr.js'
import { aspectOf } from '../oracle/cases.js'
import { cube, join, moved, scaled } from '../scene/shapes.js'

const engineOf = await sharedEngines()

const H = 0.1
const EARTH = dielectric([5, -1.5], H, 0.01)
/** A box on the plane z = H, a smaller one on its roof, and a plate that leans over the ground beside them. */
const boxes = join(moved(scaled(cube(), 0.4), [0, 0, H]), moved(scaled(cube(), 0.2), [0.05, 0.1, 0.4 + H]))
const leaning = (): Mesh => {
  const { positions, ...mesh } = plate(0.5)
  const [c, s] = [Math.cos(0.4), Math.sin(0.4)]
  return {
    ...mesh,
    positions: positions.map((x, i) =>
      i % 3 === 0 ? 0.9 + c * x : i % 3 === 1 ? x : H + 0.4 - s * positions[i - 2],
    ),
  }
}

const PAINT = coating(layer([4, -0.3], 0.01))
const GLASS = sheet(layer([5.5, -0.05], 0.02))

test.each([
  ['a conductor over rough earth', () => join(boxes, leaning()), EARTH],
  ['a painted target over rough earth', () => made([boxes, PAINT], [leaning(), CONDUCTOR]), EARTH],
  ['a target with a sheet over rough earth', () => made([boxes, CONDUCTOR], [leaning(), GLASS]), EARTH],
  ['a painted target over a mirror', () => made([boxes, PAINT], [leaning(), CONDUCTOR]), mirror(H)],
] as [string, () => Mesh, Ground][])(
  '%s: the GPU gives what the engine in double precision gives',
  async (_, mesh, ground) => {
    const loaded = overGround(mesh(), ground)
    const { scene, target } = loaded
    const engine = raysOverGround(engineOf({ scene, area: target.area }), ground)
    for (const aspect of [monostatic(62, 24), aspectOf(40, 100, 71, 60)]) {
      const job = sbrJob(aspect, bandUpTo(2e9), { raysPerWavelength: 8 })
      const want = await raysOver(loaded, job)
      const { field } = await engine.field(job)
      expect(relativeDifference(field, want)).toBeLessThan(2e-6)
    }
  },
)

test('lists of facets do not change the bytes over a ground', async () => {
  const { scene, target } = overGround(join(boxes, leaning()), EARTH)
  const job = sbrJob(aspectOf(40, 100, 71, 60), bandUpTo(2e9), { raysPerWavelength: 8 })
  const [stack, lists] = await Promise.all(
    (['stack', 'lists'] as const).map((traversal) =>
      raysOverGround(engineOf({ scene, area: target.area }, { traversal }), EARTH).field(job),
    ),
  )
  expect(sameBytes(stack.field, lists.field)).toBe(true)
})
