import { BufferAttribute, BufferGeometry, DoubleSide, Ray, Vector3 } from 'three'
import { MeshBVH } from 'three-mesh-bvh'
import { expect, test } from 'vitest'
import { models } from '../../samples/models/index.js'
import { type Vec3, type Mesh, prepareTarget } from '../../scene/index.js'
import { RayCaster, buildRayScene, type RayScene, DOUBLE_OFFSET, withRopes } from '../../rays/index.js'
import { testScene } from '../helpers/sbr.js'
import { random } from '../helpers/random.js'
import { meshOf, sphere, scaled } from '../scene/shapes.js'
import { AimedRays } from '../oracle/aimed-rays.js'

interface TestRay {
  o: Vec3
  d: Vec3
}

const samples = ['cube', 'trihedral-triangular', 'sphere', 'missile', 'ship-1m', 'aircraft']

const unit = (v: Vec3): Vec3 => v.map((x) => x / Math.hypot(...v)) as Vec3

/** Rays from inside and around the box towards points of the box; every fourth along an axis of coordinates. */
function randomRays(scene: RayScene, count: number, seed: number): TestRay[] {
  const next = random(seed)
  const box = (size: number): Vec3 => [0, 1, 2].map(() => (next() - 0.5) * size * scene.diagonal) as Vec3
  return Array.from({ length: count }, (_, i) => {
    const o = box(i % 3 === 0 ? 0.6 : 3)
    const to = box(0.5)
    if (i % 4 !== 0) return { o, d: unit(to.map((x, a) => x - o[a]) as Vec3) }
    const axis = Math.floor(3 * next())
    const d: Vec3 = i % 8 === 0 ? [0, 0, 0] : [-0, -0, -0]
    d[axis] = next() < 0.5 ? 1 : -1
    return { o: to.map((x, a) => (a === axis ? -2 * scene.diagonal * d[a] : x)) as Vec3, d }
  })
}

/** Every facet in turn (Moeller and Trumbore 1997), either side: distances of all hits, and how near each is to an edge. */
function bruteForce(scene: RayScene, { o, d }: TestRay): { facet: number; t: number; margin: number }[] {
  const hits = []
  for (let facet = 0; facet < scene.count; facet++) {
    const v = scene.vertices.subarray(9 * facet, 9 * facet + 9)
    const e1 = [v[3] - v[0], v[4] - v[1], v[5] - v[2]]
    const e2 = [v[6] - v[0], v[7] - v[1], v[8] - v[2]]
    const p = [d[1] * e2[2] - d[2] * e2[1], d[2] * e2[0] - d[0] * e2[2], d[0] * e2[1] - d[1] * e2[0]]
    const det = e1[0] * p[0] + e1[1] * p[1] + e1[2] * p[2]
    if (det === 0) continue
    const s = [o[0] - v[0], o[1] - v[1], o[2] - v[2]]
    const u = (s[0] * p[0] + s[1] * p[1] + s[2] * p[2]) / det
    const q = [s[1] * e1[2] - s[2] * e1[1], s[2] * e1[0] - s[0] * e1[2], s[0] * e1[1] - s[1] * e1[0]]
    const w = (d[0] * q[0] + d[1] * q[1] + d[2] * q[2]) / det
    const t = (e2[0] * q[0] + e2[1] * q[1] + e2[2] * q[2]) / det
    const margin = Math.min(u, w, 1 - u - w)
    if (t > 0 && margin > -1e-7) hits.push({ facet, t, margin })
  }
  return hits.sort((a, b) => a.t - b.t)
}

test('what is met does not depend on how far off the ray begins', () => {
  const { scene } = testScene(models['ship-1m'].make())
  const caster = new RayCaster(scene)
  let hits = 0
  for (const { o, d } of randomRays(scene, 400, 5)) {
    if (!caster.nearest(...o, ...d, -1)) continue
    const [near, facet] = [caster.t, caster.facet]
    for (const far of [10, 1e3, 1e5]) {
      const back = o.map((x, a) => x - far * scene.diagonal * d[a]) as Vec3
      const begins = caster.nearest(...back, ...d, -1)
      expect(begins).toBe(true)
      // Facets behind the ray's own origin come first.
      if (caster.t < far * scene.diagonal) continue
      hits++
      expect(caster.t - far * scene.diagonal).toBeCloseTo(near, far > 1e3 ? 5 : 8)
      if (far <= 1e3) expect(caster.facet).toBe(facet)
    }
  }
  expect(hits).toBeGreaterThan(100)
})

test.each(samples)('%s: nearest hits are those of testing every facet', (name) => {
  const { scene } = testScene(models[name].make())
  const caster = new RayCaster(scene)
  const tiny = 1e-9 * scene.diagonal
  let hits = 0
  for (const ray of randomRays(scene, scene.count > 500 ? 300 : 1000, 3)) {
    const found = caster.nearest(...ray.o, ...ray.d, -1)
    const all = bruteForce(scene, ray)
    // Hits nearer to an edge than rounding may go either way; what lies behind them is not asked.
    const sure = all.find((h) => h.margin > 1e-7)
    const first = all.find((h) => h.margin > -1e-7)
    if (!found) {
      expect(sure).toBeUndefined()
      continue
    }
    hits++
    expect(first).toBeDefined()
    expect(caster.t).toBeGreaterThan(first!.t - tiny)
    if (sure) expect(caster.t).toBeLessThan(sure.t + tiny)
    expect(all.filter((h) => Math.abs(h.t - caster.t) < tiny).map((h) => h.facet)).toContain(caster.facet)
  }
  expect(hits).toBeGreaterThan(30)
})

test.each(samples)('%s: nearest hits are those of three-mesh-bvh', (name) => {
  const { scene } = testScene(models[name].make())
  const geometry = new BufferGeometry()
  geometry.setAttribute('position', new BufferAttribute(new Float64Array(scene.vertices), 3))
  const oracle = new MeshBVH(geometry)
  const caster = new RayCaster(scene)
  let hits = 0
  let missed = 0
  for (const { o, d } of randomRays(scene, 5000, 4)) {
    const found = caster.nearest(...o, ...d, -1)
    const other = oracle.raycastFirst(new Ray(new Vector3(...o), new Vector3(...d)), DoubleSide)
    if (found !== (other !== null)) missed++
    else if (found) {
      hits++
      if (Math.abs(caster.t - other!.distance) > 1e-7 * scene.diagonal) missed++
    }
  }
  expect(hits).toBeGreaterThan(250)
  // Single rays may pass at an edge on one side or the other.
  expect(missed).toBeLessThanOrEqual(2)
})

test.each(samples)(
  '%s: occluded is whether there is a nearest hit; the skipped facet is passed by',
  (name) => {
    const { scene } = testScene(models[name].make())
    const caster = new RayCaster(scene)
    let behind = 0
    for (const { o, d } of randomRays(scene, 5000, 5)) {
      const found = caster.nearest(...o, ...d, -1)
      expect(caster.facet >= 0).toBe(found)
      expect(caster.occluded(...o, ...d, -1)).toBe(found)
      if (!found) continue
      const { facet, t } = caster
      const second = caster.nearest(...o, ...d, facet)
      expect(caster.occluded(...o, ...d, facet)).toBe(second)
      if (!second) continue
      behind++
      expect(caster.facet).not.toBe(facet)
      expect(caster.t).toBeGreaterThanOrEqual(t)
    }
    if (name !== 'trihedral-triangular') expect(behind).toBeGreaterThan(100)
  },
)

test('of facets at the same distance the lower number wins', () => {
  // A sheet of n x n cells whose facets are numbered at random, hit exactly at its vertices and edge middles.
  const n = 12
  const next = random(8)
  const points: number[][] = []
  for (let j = 0; j <= n; j++) for (let i = 0; i <= n; i++) points.push([i - n / 2, j - n / 2, 0])
  const facets: number[][] = []
  for (let j = 0; j < n; j++)
    for (let i = 0; i < n; i++) {
      const a = j * (n + 1) + i
      facets.push([a, a + 1, a + n + 2], [a, a + n + 2, a + n + 1])
    }
  for (let i = facets.length - 1; i > 0; i--) {
    const k = Math.floor(next() * (i + 1))
    ;[facets[i], facets[k]] = [facets[k], facets[i]]
  }
  const target = prepareTarget(meshOf(points, facets), { smoothAngleDeg: 20 })
  expect(target.centroid.map((x) => Math.abs(x) < 1e-12)).toEqual([true, true, true])
  const scene = buildRayScene({ ...target, centroid: [0, 0, 0] })
  const caster = new RayCaster(scene)
  const at = (v: number): Vec3 => Array.from(target.positions.subarray(3 * v, 3 * v + 3)) as Vec3
  const around = new Map<number, number[]>()
  target.triangles.forEach((v, i) => around.set(v, [...(around.get(v) ?? []), Math.floor(i / 3)]))
  expect(Math.max(...[...around.values()].map((f) => f.length))).toBe(6)
  for (const [v, touching] of around) {
    const [x, y] = at(v)
    for (const side of [1, -1]) {
      expect(caster.nearest(x, y, 3 * side, 0, 0, -side, -1)).toBe(true)
      expect(caster.facet).toBe(Math.min(...touching))
    }
  }
  for (let t = 0; t < scene.count; t++) {
    const [p, q] = [at(target.triangles[3 * t]), at(target.triangles[3 * t + 1])]
    const both = around
      .get(target.triangles[3 * t])!
      .filter((f) => around.get(target.triangles[3 * t + 1])!.includes(f))
    caster.nearest((p[0] + q[0]) / 2, (p[1] + q[1]) / 2, 5, 0, 0, -1, -1)
    expect(caster.facet).toBe(Math.min(...both))
  }
})

const closed: [string, () => Mesh][] = [
  ['cube', () => models.cube.make()],
  ['geodesic sphere', () => models.sphere.make()],
  ['sphere by latitude and longitude', () => sphere(30, 60)],
]

test.each(closed)('no ray leaks through an edge or a vertex of the %s', (_, make) => {
  const { scene } = testScene(make())
  const caster = new RayCaster(scene)
  const next = random(9)
  let worst = 0
  for (let i = 0; i < 20_000; i++) {
    const facet = Math.floor(next() * scene.count)
    const v = scene.vertices.subarray(9 * facet, 9 * facet + 9)
    const corner = Math.floor(3 * next())
    const other = (corner + 1) % 3
    const s = i % 4 === 0 ? 0 : next()
    const p = [0, 1, 2].map((a) => v[3 * corner + a] + s * (v[3 * other + a] - v[3 * corner + a])) as Vec3
    // From inside (both bodies are convex about the origin), then from outside where this facet faces the ray.
    const inside = [0, 1, 2].map(() => (next() - 0.5) * 0.2 * scene.diagonal) as Vec3
    const outward = scene.normals.subarray(4 * facet, 4 * facet + 3)
    const swing = [0, 1, 2].map((a) => outward[a] + 1.2 * (next() - 0.5))
    const outside = p.map((x, a) => x + scene.diagonal * swing[a]) as Vec3
    for (const o of [inside, outside]) {
      const way = p.map((x, a) => x - o[a]) as Vec3
      const distance = Math.hypot(...way)
      const d = unit(way)
      const cosine = Math.abs(d[0] * outward[0] + d[1] * outward[1] + d[2] * outward[2])
      if (o === outside && cosine < 0.05) continue
      worst = Math.max(worst, caster.nearest(...o, ...d, -1) ? Math.abs(caster.t - distance) : Infinity)
    }
  }
  expect(worst).toBeLessThan(2e-8 * scene.diagonal)
})

test('rays in the plane of a box side, along an axis, through its edges', () => {
  const { scene } = testScene(models.cube.make())
  const caster = new RayCaster(scene)
  // In a face's plane the face itself is passed by, the adjoining one is met at its edge.
  expect(caster.nearest(0.5, 0.1, -3, 0, 0, 1, -1)).toBe(true)
  expect(caster.t).toBeCloseTo(2.5, 12)
  expect(caster.nearest(0.5, 0.5, -3, 0, 0, 1, -1)).toBe(true)
  expect(caster.t).toBeCloseTo(2.5, 12)
  // Just beside it nothing.
  expect(caster.nearest(0.5 + 1e-9, 0.1, -3, 0, 0, 1, -1)).toBe(false)
  // Behind the origin nothing.
  expect(caster.nearest(0.1, 0.2, 3, 0, 0, 1, -1)).toBe(false)
})

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
