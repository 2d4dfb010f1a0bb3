import { expect, test } from 'vitest'
import { createCpuEngine } from '../../cpu-sbr/index.js'
import { rowTasks, runSbrTask } from '../../cpu-sbr/task.js'
import { dihedral, squareTrihedral } from '../../samples/models/canonical.js'
import { models } from '../../samples/models/index.js'
import {
  wavenumber,
  direction,
  dot,
  type Aspect,
  type Direction,
  type Vec3,
  type Mesh,
  C0,
} from '../../scene/index.js'
import { exactQuantum } from '../../math/exact-sum.js'
import { fieldBound, RayCaster, withoutLists } from '../../rays/index.js'
import {
  monostatic,
  norm,
  oneFrequency,
  OPTIONS,
  relativeDifference,
  sbrJob,
  solve,
  testScene,
  sameBytes,
} from '../helpers/sbr.js'
import { bruteForce } from '../../reproduction/brute-force.js'
import { rows } from '../scene/shapes.js'
import { mapped } from '../cpu-diffraction/meshes.js'

/** Rows of a rotation matrix. */
type Matrix = [Vec3, Vec3, Vec3]

/** A rotation by a unit quaternion. */
function generalRotation(): Matrix {
  const [w, x, y, z] = [0.5, -0.3, 0.7, 0.2].map((q) => q / Math.hypot(0.5, 0.3, 0.7, 0.2))
  return [
    [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
    [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
    [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
  ]
}

const turn = (m: Matrix, v: Vec3): Vec3 => m.map((row) => dot(row, v)) as Vec3

const rotated = (mesh: Mesh, m: Matrix): Mesh => mapped(mesh, (p) => turn(m, p as Vec3))

const ship = (): Mesh => models['ship-1m'].make()
/** Sums of tiles are rounded to 2^-50 of a generous bound: seen relative to a weak field. */
const ROUNDING = 2e-7

/** [[receive V <- transmit V, V <- H], [H <- V, H <- H]] as complex numbers, from a field. */
const matrixOf = (f: Float64Array): [number, number][][] => [
  [
    [f[0], f[1]],
    [f[6], f[7]],
  ],
  [
    [f[4], f[5]],
    [f[2], f[3]],
  ],
]

test.each([
  ['monostatic', [71, 33], [71, 33]],
  ['bistatic', [71, 33], [50, 60]],
])('any rotation: the scattering matrix stays in its own basis (%s)', async (_, at, to) => {
  // The grid meets the turned mesh otherwise: within the error of tubes of a 20th of a wavelength, cut 4 times.
  const band = oneFrequency(0.3)
  const options = { raysPerWavelength: 20, subdivisions: 4 }
  const rotation = generalRotation()
  const seenFrom = (d: Direction): { own: Direction; v: Vec3; h: Vec3 } => {
    const r = turn(rotation, d.r)
    const degrees = 180 / Math.PI
    const own = direction(Math.acos(r[2]) * degrees, Math.atan2(r[1], r[0]) * degrees)
    return { own, v: turn(rotation, d.thetaHat), h: turn(rotation, d.phiHat) }
  }
  for (const mesh of [squareTrihedral(1), dihedral(1)]) {
    const aspect: Aspect = { tx: direction(at[0], at[1]), rx: direction(to[0], to[1]) }
    const [tx, rx] = [seenFrom(aspect.tx), seenFrom(aspect.rx)]
    const a = await solve(testScene(mesh), sbrJob(aspect, band, options))
    const b = await solve(
      testScene(rotated(mesh, rotation)),
      sbrJob({ tx: tx.own, rx: rx.own }, band, options),
    )
    const m = matrixOf(b.field)
    // Amplitude between the turned polarisations: sums over the basis at the new angles.
    const between = (receive: Vec3, transmit: Vec3): number[] =>
      [0, 1].map((part) => {
        let sum = 0
        ;[rx.own.thetaHat, rx.own.phiHat].forEach((er, i) =>
          [tx.own.thetaHat, tx.own.phiHat].forEach((et, j) => {
            sum += dot(receive, er) * m[i][j][part] * dot(transmit, et)
          }),
        )
        return sum
      })
    const turned = [
      ...between(rx.v, tx.v),
      ...between(rx.h, tx.h),
      ...between(rx.h, tx.v),
      ...between(rx.v, tx.h),
    ]
    // Against the field of the whole area at right incidence, k A / 2 pi.
    const scale = (wavenumber(band.f0) * testScene(mesh).area) / (2 * Math.PI)
    const error = norm(turned.map((x, i) => x - a.field[i])) / scale
    expect(error).toBeLessThan(5e-4)
  }
})

test('parts by bounce sum to the total', async () => {
  const target = testScene(squareTrihedral(1))
  const aspect = { tx: direction(60, 30), rx: direction(50, 40) }
  const band = { f0: 2.9e9, df: 0.1e9, n: 3 }
  const total = (await solve(target, sbrJob(aspect, band))).field
  const sum = new Float64Array(total.length)
  for (let onlyBounce = 1; onlyBounce <= OPTIONS.maxBounces; onlyBounce++) {
    const part = (await solve(target, sbrJob(aspect, band, { onlyBounce }))).field
    if (onlyBounce <= 3) expect(norm(part)).toBeGreaterThan(1e-3 * norm(total))
    part.forEach((x, i) => (sum[i] += x))
  }
  expect(relativeDifference(sum, total)).toBeLessThan(ROUNDING)
})

test('frequencies of a band are each what they are alone', async () => {
  const target = testScene(ship())
  const aspect = monostatic(80, 20)
  const band = { f0: 4e9, df: 0.01e9, n: 101 }
  const all = (await solve(target, sbrJob(aspect, band, { frequencySum: 'direct' }))).field
  for (const n of [0, 37, 100]) {
    // The same tubes: as many per wavelength of the highest frequency.
    const f0 = band.f0 + n * band.df
    const alone = await solve(
      target,
      sbrJob(aspect, { f0, df: 0, n: 1 }, { raysPerWavelength: (10 * 5e9) / f0 }),
    )
    expect(relativeDifference(all.subarray(8 * n, 8 * n + 8), alone.field)).toBeLessThan(ROUNDING)
  }
})

test('a zero target direction: no field where nothing is lit', async () => {
  // The plate edge-on.
  const { field, statistics } = await solve(
    testScene(models.plate.make()),
    sbrJob(monostatic(90, 0), oneFrequency(0.1)),
  )
  expect(statistics.leaves).toBe(0)
  expect(norm(field)).toBe(0)
})

test('tasks of any size give the same bytes', () => {
  const { scene, area } = testScene(ship())
  const job = sbrJob(monostatic(80, 20), { f0: 9.9e9, df: 0.1e9, n: 3 })
  const grid = exactQuantum(fieldBound(area, OPTIONS.maxBounces))
  const total = (tubes: number): { sum: Float64Array; leaves: number; tasks: number } => {
    const tasks = rowTasks(scene, job, grid, tubes)
    const sum = new Float64Array(24)
    let leaves = 0
    // Later tasks first, as they may well come back.
    for (const task of tasks.reverse()) {
      const part = runSbrTask(scene, task)
      part.sum.forEach((x, i) => (sum[i] += x))
      leaves += part.statistics.leaves
    }
    return { sum, leaves, tasks: tasks.length }
  }
  const whole = total(Infinity)
  expect(whole.tasks).toBe(1)
  for (const tubes of [1, 6000, 16384]) {
    const parts = total(tubes)
    expect(parts.tasks).toBeGreaterThan(1)
    expect(parts.leaves).toBe(whole.leaves)
    expect(sameBytes(parts.sum, whole.sum)).toBe(true)
  }
})

test.each([16, 64, 2048])('taken by sub-grids of %s tubes an aspect has the same bytes', async (subGrid) => {
  const { scene, area } = testScene(ship())
  const job = sbrJob(monostatic(80, 20), { f0: 9.9e9, df: 0.1e9, n: 3 })
  const whole = await solve({ scene, area }, job)
  const run = await createCpuEngine(scene, area, 0, subGrid).begin(job)
  for (let part = 0; part < run.parts.length; part++) {
    await run.trace(part)
    await run.field(part)
  }
  const parts = (await run.finish())!
  expect(sameBytes(parts.field, whole.field)).toBe(true)
  expect(parts.statistics).toEqual(whole.statistics)
  expect(parts.partSeconds).toHaveLength(run.parts.length)
  expect(run.parts.length > 1).toBe(subGrid < 2048)
})

test('a signal that has fired rejects with an AbortError without workers, too', async () => {
  const { scene, area } = testScene(ship())
  const job = sbrJob(monostatic(80, 20), oneFrequency(0.1))
  const running = createCpuEngine(scene, area, 0).field(job, AbortSignal.abort())
  await expect(running).rejects.toMatchObject({ name: 'AbortError' })
})

test.each([
  ['ship-1m', 16],
  ['deckhouse', 8],
  ['trihedral-square', 12],
] as const)('%s: brute force gives the bytes of the BVH on the CPU', async (name, wavelengths) => {
  const { scene, area } = testScene(models[name].make())
  const f0 = (wavelengths * C0) / scene.diagonal
  for (const [theta, phi] of rows('45 0, 70 35')) {
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
