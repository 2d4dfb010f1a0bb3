import { expect, test } from 'vitest'
import { AimedRays } from '../oracle/aimed-rays.js'
import { models } from '../../samples/models/index.js'
import { RayCaster, DOUBLE_OFFSET, withRopes } from '../../rays/index.js'
import { random } from '../helpers/random.js'
import { testScene } from '../helpers/sbr.js'
import { scaled } from '../scene/shapes.js'

const prepared = (name: string, scale: number) => testScene(scaled(models[name].make(), scale))

test.each([
  ['sphere', 1e-3],
  ['sphere', 1],
  ['cube', 1e3],
  ['missile', 1],
  ['ship-1m', 1],
  ['aircraft-a', 1],
])(
  '%s, scaled by %s: no ray aimed at an edge or a vertex slips through; ropes meet what the stack meets',
  (name, scale) => {
    const { target, scene } = prepared(name, scale)
    const casters = [new RayCaster(scene), new RayCaster(withRopes(scene))]
    const aimed = new AimedRays(target, scene, random(9))
    const { o, d } = aimed
    let farthest = -Infinity
    for (let n = 0; n < 20000;) {
      if (!aimed.draw(n % 2 === 1)) continue
      n++
      for (const caster of casters) caster.nearest(o[0], o[1], o[2], d[0], d[1], d[2], -1)
      if (casters[0].facet !== casters[1].facet || casters[0].t !== casters[1].t)
        throw new Error(`facets ${casters.map((c) => c.facet).join()} at ${casters.map((c) => c.t).join()}`)
      const behind = casters[0].facet < 0 ? Infinity : casters[0].t - aimed.distance
      farthest = Math.max(farthest, behind / scene.diagonal)
    }
    expect(farthest).toBeLessThan(1e-9)
  },
)

test.each(['missile', 'aircraft-a'])('%s: ropes and stack agree on rays of any kind', (name) => {
  const { scene } = prepared(name, 1)
  const [stack, ropes] = [new RayCaster(scene), new RayCaster(withRopes(scene))]
  const next = random(4)
  let hits = 0
  for (let n = 0; n < 20000; n++) {
    const ray = Array.from({ length: 6 }, (_, a) => (next() - 0.5) * (a < 3 ? scene.diagonal : 1))
    if (n % 4 === 0) for (const a of [3, 4]) ray[a] = 0
    const l = Math.hypot(ray[3], ray[4], ray[5])
    const skip = n % 3 === 0 ? stack.facet : -1
    const met = [stack, ropes].map((caster) => {
      const all = [ray[0], ray[1], ray[2], ray[3] / l, ray[4] / l, ray[5] / l, skip] as const
      const any = caster.occluded(...all)
      return [any, caster.nearest(...all), caster.facet, caster.facet < 0 ? 0 : caster.t]
    })
    if (met[0].join() !== met[1].join()) throw new Error(`${met[0].join()} against ${met[1].join()}`)
    if (met[0][1]) hits++
  }
  expect(hits).toBeGreaterThan(500)
})

// The offset lifts a reflected ray off its facet and past the rims of the neighbours, from 1 mm to 1 km.
test.each([
  ['cube', 1e-3],
  ['sphere', 1e-3],
  ['sphere', 1],
  ['cube', 1e3],
  ['sphere', 1e3],
])(
  '%s, scaled by %s: a ray reflected off a convex body, near its edges too, meets nothing again',
  (name, scale) => {
    const { target, scene } = prepared(name, scale)
    const caster = new RayCaster(scene)
    const aimed = new AimedRays(target, scene, random(2))
    const { o, d } = aimed
    const lift = DOUBLE_OFFSET * scene.diagonal
    for (let n = 0; n < 10000;) {
      if (!aimed.draw(n % 2 === 1)) continue
      n++
      // Beside the edge by up to some offsets.
      const aside = aimed.o.map((x) => x + 4 * lift * (((n * 0.618) % 1) - 0.5))
      caster.nearest(aside[0], aside[1], aside[2], d[0], d[1], d[2], -1)
      const facet = caster.facet
      if (facet < 0) continue
      const normal = scene.normals.subarray(4 * facet, 4 * facet + 3)
      const cosine = normal[0] * d[0] + normal[1] * d[1] + normal[2] * d[2]
      expect(cosine).toBeLessThan(0)
      const [x, y, z] = [0, 1, 2].map((a) => aside[a] + caster.t * d[a] + lift * normal[a])
      const [p, q, r] = [0, 1, 2].map((a) => d[a] - 2 * cosine * normal[a])
      if (caster.occluded(x, y, z, p, q, r, facet))
        throw new Error(`ray ${o.join()} meets facet ${facet} and another`)
    }
  },
)
