import { expect, test } from 'vitest'
import { aspectTables } from '../../cpu-sbr/aspect-tables.js'
import { PathTracer } from '../../cpu-sbr/path.js'
import { PathTree } from '../../cpu-sbr/path-tree.js'
import { PrismQuery } from '../../cpu-sbr/prism.js'
import { models } from '../../samples/models/index.js'
import { direction } from '../../scene/direction.js'
import { RayCaster } from '../../scene/ray-caster.js'
import {
  DOUBLE_OFFSET,
  DOUBLE_TOLERANCE,
  enlargedCorners,
  type RayScene,
  withoutLists,
  withRopes,
} from '../../scene/ray-scene.js'
import { jobAperture, type SbrOptions } from '../../scene/sbr.js'
import { random } from '../scene/shapes.js'
import { monostatic, norm, sbrJob, solve, testScene } from '../helpers/sbr.js'

const corners = (scene: RayScene) => {
  const slotOf = new Uint32Array(scene.count)
  scene.order.forEach((t, slot) => (slotOf[t] = slot))
  return { corners: enlargedCorners(scene, DOUBLE_TOLERANCE), slotOf }
}

const runs: [string, number, number, number, Partial<SbrOptions>][] = [
  ['ship-1m', 10e9, 80, 20, {}],
  ['ship-1m', 10e9, 63, 131, { adaptive: true }],
  ['trihedral-square', 6e9, 54, 45, { maxBounces: 3 }],
  ['trihedral-square', 6e9, 54, 45, { formulation: 'exit' }],
  ['missile', 12e9, 60, 45, {}],
  ['missile', 12e9, 88, 3, { adaptive: true }],
  ['sphere', 8e9, 80, 25, {}],
  ['deckhouse', 0.15e9, 60, 45, {}],
  ['aircraft', 5e9, 80, 0, {}],
  ['aircraft', 5e9, 80, 0, { adaptive: true }],
  // In the planes of its faces.
  ['cube', 6e9, 90, 0, {}],
]

test.each(runs)(
  '%s, %s Hz, %s %s, %o: by lists, by the stack and by ropes the same bytes',
  async (name, f0, theta, phi, options) => {
    const target = testScene(models[name].make())
    const { scene } = target
    const job = sbrJob(monostatic(theta, phi), { f0, df: 0.1e9, n: 3 }, options)
    expect(aspectTables(scene, jobAperture(scene, job), job.aspect).outlines).toBeDefined()
    const listed = await solve(target, job)
    expect(norm(listed.field)).toBeGreaterThan(0)
    for (const other of [withoutLists(scene), withRopes(scene)]) {
      expect(aspectTables(other, jobAperture(other, job), job.aspect).outlines).toBeUndefined()
      const searched = await solve({ ...target, scene: { ...other, flats: scene.flats } }, job)
      expect(searched.field).toEqual(listed.field)
      expect({ ...searched.statistics, rays: 0 }).toEqual({ ...listed.statistics, rays: 0 })
    }
  },
)

test('bistatic, by lists and by the stack the same bytes', async () => {
  const target = testScene(models['ship-1m'].make())
  const job = sbrJob({ tx: direction(80, 20), rx: direction(70, 100) }, { f0: 10e9, df: 0, n: 1 })
  const listed = await solve(target, job)
  const searched = await solve(
    { ...target, scene: { ...withoutLists(target.scene), flats: target.scene.flats } },
    job,
  )
  expect(norm(listed.field)).toBeGreaterThan(0)
  expect(searched.field).toEqual(listed.field)
})

test.each(['ship-1m', 'missile', 'aircraft', 'deckhouse', 'sphere'])(
  '%s: a prism holds whatever a ray from its facet meets, and little else',
  (name) => {
    const { scene } = testScene(models[name].make())
    const prism = new PrismQuery(scene, corners(scene))
    const caster = new RayCaster(scene)
    const next = random(3)
    const { vertices, normals } = scene
    let [hits, listed, prisms] = [0, 0, 0]
    for (let n = 0; n < 3000; n++) {
      const f = Math.floor(next() * scene.count)
      const z = 2 * next() - 1
      const turn = 2 * Math.PI * next()
      const d = [Math.sqrt(1 - z * z) * Math.cos(turn), Math.sqrt(1 - z * z) * Math.sin(turn), z]
      if (!prism.search(f, d[0], d[1], d[2])) continue
      prisms++
      listed += prism.count
      const found = new Set(Array.from(prism.slots.subarray(0, prism.count), (slot) => scene.order[slot]))
      const up = normals[4 * f] * d[0] + normals[4 * f + 1] * d[1] + normals[4 * f + 2] * d[2] > 0 ? 1 : -1
      for (let k = 0; k < 8; k++) {
        // Points within the facet, on its sides and at its corners.
        let [a, b] = [next(), next()]
        if (a + b > 1) [a, b] = [1 - a, 1 - b]
        if (k === 0) b = 0
        if (k === 1) [a, b] = [0, 0]
        const o = [0, 1, 2].map((c) => {
          const v = 9 * f + c
          return (
            (1 - a - b) * vertices[v] +
            a * vertices[v + 3] +
            b * vertices[v + 6] +
            up * DOUBLE_OFFSET * scene.diagonal * normals[4 * f + c]
          )
        })
        if (!caster.nearest(o[0], o[1], o[2], d[0], d[1], d[2], f)) continue
        hits++
        if (!found.has(caster.facet)) throw new Error(`facet ${caster.facet} from ${f} along ${d.join()}`)
      }
    }
    expect(hits).toBeGreaterThan(500)
    expect(listed / prisms).toBeLessThan(scene.count / 5)
  },
)

test('a tree that forgets its paths gives the same ones', () => {
  const { scene } = testScene(models['ship-1m'].make())
  const { tx, rx } = monostatic(70, 30)
  const d = tx.r.map((x) => -x)
  const prism = () => new PrismQuery(scene, corners(scene))
  const [whole, short] = [
    new PathTracer(scene, new PathTree(scene, d, rx.r, prism()), d, 5),
    new PathTracer(scene, new PathTree(scene, d, rx.r, prism(), 40), d, 5),
  ]
  const next = random(5)
  let bounces = 0
  for (let n = 0; n < 20000; n++) {
    const o = tx.r.map((x) => scene.diagonal * (x + 0.5 * (next() - 0.5)))
    for (const path of [whole, short]) {
      path.trace(o[0], o[1], o[2])
      path.look(rx.r)
    }
    bounces += whole.count
    expect([short.count, short.surfaceKey, short.facetKey, short.visible]).toEqual([
      whole.count,
      whole.surfaceKey,
      whole.facetKey,
      whole.visible,
    ])
  }
  expect(bounces).toBeGreaterThan(5000)
})
