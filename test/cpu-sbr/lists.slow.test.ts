import { expect, test } from 'vitest'
import { aspectTables } from '../../cpu-sbr/lattice-tracer.js'
import { PathTracer, PathTree } from '../../cpu-sbr/path-tree.js'
import { PrismQuery } from '../../cpu-sbr/prism.js'
import { models } from '../../samples/models/index.js'
import { type Aspect, direction, type Mesh } from '../../scene/index.js'
import {
  RayCaster,
  DOUBLE_OFFSET,
  DOUBLE_TOLERANCE,
  enlargedCorners,
  type RayScene,
  withoutLists,
  withRopes,
  jobAperture,
  type SbrOptions,
} from '../../rays/index.js'
import { coating, layer, made, sheet } from '../helpers/materials.js'
import { random } from '../helpers/random.js'
import { monostatic, norm, sbrJob, solve, testScene } from '../helpers/sbr.js'

const corners = (scene: RayScene) => {
  const slotOf = new Uint32Array(scene.count)
  scene.order.forEach((t, slot) => (slotOf[t] = slot))
  return { corners: enlargedCorners(scene, DOUBLE_TOLERANCE), slotOf }
}

/** A unit vector at an angle of at most tangent `spread` to the axis. */
function near(axis: number[], spread: number, next: () => number): number[] {
  if (spread === 0) return axis
  const aside = axis.map(() => next() - 0.5)
  const along = aside.reduce((sum, x, c) => sum + x * axis[c], 0)
  const across = aside.map((x, c) => x - along * axis[c])
  const part = (spread * (next() < 0.5 ? 1 : next())) / norm(across)
  const d = axis.map((x, c) => x + part * across[c])
  return d.map((x) => x / norm(d))
}

const GLASS = sheet(layer([6.3, -0.05], 0.004))
const PAINT = coating(layer([3.2, -0.06], 0.0005))
const mesh = (name: string): Mesh => models[name].make()

const runs: [string, Mesh, number, Aspect, Partial<SbrOptions>?][] = [
  ['ship', mesh('ship-1m'), 10e9, monostatic(80, 20)],
  ['ship, bistatic', mesh('ship-1m'), 10e9, { tx: direction(80, 20), rx: direction(70, 100) }],
  ['trihedral, three bounces', mesh('trihedral-square'), 6e9, monostatic(54, 45), { maxBounces: 3 }],
  ['trihedral, exit', mesh('trihedral-square'), 6e9, monostatic(54, 45), { formulation: 'exit' }],
  ['missile', mesh('missile'), 12e9, monostatic(60, 45)],
  ['sphere', mesh('sphere'), 8e9, monostatic(80, 25)],
  ['deckhouse', mesh('deckhouse'), 0.15e9, monostatic(60, 45)],
  ['aircraft', mesh('aircraft'), 5e9, monostatic(80, 0)],
  ['cube, in the planes of its faces', mesh('cube'), 6e9, monostatic(90, 0)],
  ['painted aircraft', made([mesh('aircraft'), PAINT]), 3e9, monostatic(80, 0)],
  ['ship of glass', made([mesh('ship-1m'), GLASS]), 3e9, monostatic(70, 20), { maxBounces: 2 }],
  ['trihedral with a wall of glass', made([mesh('trihedral-square'), GLASS]), 6e9, monostatic(54, 45)],
]

test.each(runs)(
  '%s: by lists, by the stack and by ropes the same bytes',
  async (_, of, f0, aspect, options) => {
    const target = testScene(of)
    const { scene } = target
    const job = sbrJob(aspect, { f0, df: 0.1e9, n: 3 }, options)
    const hasLists = (of: RayScene): boolean =>
      aspectTables(of, jobAperture(of, job), job.aspect).outlines !== undefined
    const listed = await solve(target, job)
    expect(norm(listed.field)).toBeGreaterThan(0)
    expect(hasLists(scene)).toBe(true)
    for (const other of [withoutLists(scene), withRopes(scene)]) {
      expect(hasLists(other)).toBe(false)
      const searched = await solve({ ...target, scene: other }, job)
      expect(searched.field).toEqual(listed.field)
      expect({ ...searched.statistics, rays: 0 }).toEqual({ ...listed.statistics, rays: 0 })
    }
  },
)

// Rolls on over the borders of cones, back into one, and to a lone aspect far off.
const SWEEP = [20, 20.1, 20.2, 20.4, 20.7, 20.9, 21.1, 20.8, 40, 40.1]

test.each([
  ['ship-1m', 10e9, {}],
  ['missile', 8e9, {}],
] as [string, number, Partial<SbrOptions>][])(
  '%s, %s Hz, %o: aspects in small steps share a tree of paths, with the same bytes as by the stack',
  async (name, f0, options) => {
    const target = testScene(models[name].make())
    const { scene } = target
    const searching = { ...target, scene: withoutLists(scene) }
    const trees = new Set<PathTree>()
    for (const phi of SWEEP) {
      const job = sbrJob(monostatic(80, phi), { f0, df: 0.1e9, n: 2 }, options)
      const listed = await solve(target, job)
      expect(norm(listed.field)).toBeGreaterThan(0)
      expect((await solve(searching, job)).field).toEqual(listed.field)
      trees.add(aspectTables(scene, jobAperture(scene, job), job.aspect).tree)
    }
    expect(trees.size).toBe(5)
  },
)

test('a bistatic sweep with a fixed transmitter shares a tree, with the same bytes as by the stack', async () => {
  const target = testScene(models['ship-1m'].make())
  const { scene } = target
  const searching = { ...target, scene: withoutLists(scene) }
  const trees = new Set<PathTree>()
  for (const phi of [100, 100.2, 100.4, 100.6]) {
    const aspect = { tx: direction(80, 20), rx: direction(70, phi) }
    const job = sbrJob(aspect, { f0: 10e9, df: 0, n: 1 })
    const listed = await solve(target, job)
    expect((await solve(searching, job)).field).toEqual(listed.field)
    trees.add(aspectTables(scene, jobAperture(scene, job), aspect).tree)
  }
  expect(trees.size).toBe(2)
})

test('rays of an incidence that the tree is no longer aimed at are refused', () => {
  const { scene } = testScene(models['cube'].make())
  const tree = new PathTree(scene, { d: [0, 0, -1], s: [0, 0, 1], spread: 0.1 }, null)
  const path = new PathTracer(scene, tree, [0, 0, -1], 5)
  path.trace(0, 0, 10)
  expect(path.count).toBe(1)
  tree.aim([0.01, 0, -Math.sqrt(1 - 1e-4)], [0, 0, 1])
  expect(() => path.trace(0, 0, 10)).toThrow('another incidence')
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
    for (let n = 0; n < 6000; n++) {
      // Of one direction, and of a cone of directions.
      const spread = n % 2 === 0 ? 0 : 0.03 * next()
      const f = Math.floor(next() * scene.count)
      const z = 2 * next() - 1
      const turn = 2 * Math.PI * next()
      const axis = [Math.sqrt(1 - z * z) * Math.cos(turn), Math.sqrt(1 - z * z) * Math.sin(turn), z]
      if (!prism.search(f, axis[0], axis[1], axis[2], spread)) continue
      prisms++
      listed += prism.count
      const found = new Set(Array.from(prism.slots.subarray(0, prism.count), (slot) => scene.order[slot]))
      for (let k = 0; k < 8; k++) {
        const d = near(axis, spread, next)
        const up = normals[4 * f] * d[0] + normals[4 * f + 1] * d[1] + normals[4 * f + 2] * d[2] > 0 ? 1 : -1
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
  const cone = { d, s: rx.r, spread: 0 }
  const prism = () => new PrismQuery(scene, corners(scene))
  const [whole, short] = [
    new PathTracer(scene, new PathTree(scene, cone, prism()), d, 5),
    new PathTracer(scene, new PathTree(scene, cone, prism(), 40), d, 5),
  ]
  const next = random(5)
  let bounces = 0
  for (let n = 0; n < 20000; n++) {
    const o = tx.r.map((x) => scene.diagonal * (x + 0.5 * (next() - 0.5)))
    for (const path of [whole, short]) {
      path.trace(o[0], o[1], o[2])
      path.findVisible(rx.r)
    }
    bounces += whole.count
    const seen = (path: PathTracer) => path.visible.slice(0, path.count)
    expect([short.count, short.surfaceKey, short.normalsKey, seen(short)]).toEqual([
      whole.count,
      whole.surfaceKey,
      whole.normalsKey,
      seen(whole),
    ])
  }
  expect(bounces).toBeGreaterThan(5000)
})
