import { expect, test } from 'vitest'
import { plate, sphere, squareTrihedral } from '../../samples/models/canonical.js'
import { models } from '../../samples/models/index.js'
import { C0, direction, type Aspect, type Mesh } from '../../scene/index.js'
import { type Material, PERFECT_CONDUCTOR, slab } from '../../scene/materials/index.js'
import type { SbrOptions } from '../../rays/index.js'
import { coating, layer, made, sheet } from '../helpers/materials.js'
import { monostatic, norm, relativeDifference, sameBytes, sbrJob, solve, testScene } from '../helpers/sbr.js'
import { moved, rows } from '../scene/shapes.js'

/** The wavelength is 0.25 m: plates of 1 m are 4 of them wide. */
const LAMBDA = 0.25
const BAND = { f0: C0 / LAMBDA, df: 0, n: 1 }
const NOTHING = sheet()
const ABSORBER = coating(layer([12, -0.6], 0.05 * LAMBDA, [2.2, -1.6]))
const GLASS = sheet(layer([4, -0.1], 0.13 * LAMBDA))
const LOPSIDED = sheet(layer([4, -0.1], 0.13 * LAMBDA), { impedance: [150, 0] })

const of = (mesh: Mesh, material: Material): Mesh => ({ ...mesh, groupMaterials: [material] })

async function fieldOf(mesh: Mesh, aspect: Aspect, options: Partial<SbrOptions> = {}): Promise<Float64Array> {
  const { field } = await solve(testScene(mesh), sbrJob(aspect, BAND, { subdivisions: 1, ...options }))
  return field
}

type Pair = readonly [number, number]
const times = (a: Pair, b: Pair): Pair => [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]]
const channel = (field: Float64Array, c: number): Pair => [field[2 * c], field[2 * c + 1]]
const apart = (a: Pair, b: Pair): number => Math.hypot(a[0] - b[0], a[1] - b[1])

function coefficients(
  material: Material,
  theta: number,
  back = false,
): Record<'rs' | 'rp' | 'ts' | 'tp', Pair> {
  const out = new Float64Array(8)
  slab(material, BAND.f0, Math.cos((theta * Math.PI) / 180), out, back)
  return { rs: [out[0], out[1]], rp: [out[2], out[3]], ts: [out[4], out[5]], tp: [out[6], out[7]] }
}

test.each([
  ['coating', ABSORBER],
  ['sheet', GLASS],
  ['sheet of two sides', LOPSIDED],
])('a plate of %s returns R times what a conducting one does, from either side', async (_, material) => {
  for (const theta of [0, 20, 65, 130]) {
    const conductor = await fieldOf(plate(1), monostatic(theta, 0))
    const field = await fieldOf(of(plate(1), material), monostatic(theta, 0))
    const { rs, rp } = coefficients(material, theta > 90 ? 180 - theta : theta, theta > 90)
    // Of a mirror's A / lambda; the engine's sums are multiples of 1e-12 m^2.
    const scale = 1e-11 / LAMBDA
    expect(norm(conductor)).toBeGreaterThan(0.01 / LAMBDA)
    // The plane of incidence has theta-hat: V is p, H is s.
    expect(apart(channel(field, 0), times(rp, channel(conductor, 0)))).toBeLessThan(scale)
    expect(apart(channel(field, 1), times([-rs[0], -rs[1]], channel(conductor, 1)))).toBeLessThan(scale)
  }
})

test('forward scattering is that of what a sheet takes away, F = (jk / 2 pi) A c (T - 1)', async () => {
  const theta = 35
  const aspect = { tx: direction(theta, 0), rx: direction(180 - theta, 180) }
  const field = await fieldOf(of(plate(1), GLASS), aspect, { subdivisions: 4, raysPerWavelength: 20 })
  const { ts, tp } = coefficients(GLASS, theta)
  const factor: Pair = [0, Math.cos((theta * Math.PI) / 180) / LAMBDA]
  const wantP = times(factor, [tp[0] - 1, tp[1]])
  const wantS = times(factor, [ts[0] - 1, ts[1]])
  // theta-hat of the receiver is that of the wave going on, phi-hat opposite.
  expect(apart(channel(field, 0), wantP)).toBeLessThan(2e-3 * Math.hypot(...wantP))
  expect(apart(channel(field, 1), [-wantS[0], -wantS[1]])).toBeLessThan(2e-3 * Math.hypot(...wantS))
})

test('sheets of nothing before and behind a target do not show', async () => {
  const target = squareTrihedral(1)
  // About the target's centroid, so that the lattice of rays stays, and beyond its outline.
  const [x, y, z] = testScene(target).target.centroid
  const shelf = (h: number): Mesh => moved(plate(2.4), [x, y, z + h])
  const behind = made([target, PERFECT_CONDUCTOR], [shelf(0.9), NOTHING], [shelf(-0.9), NOTHING])
  for (const aspect of [monostatic(22, 38), { tx: direction(22, 38), rx: direction(160, 80) }]) {
    const [alone, field] = await Promise.all(
      [target, behind].map((mesh) => fieldOf(mesh, aspect, { maxBounces: 4 })),
    )
    expect(norm(alone)).toBeGreaterThan(0.01 / LAMBDA)
    // Of a mirror of all facets; the engine's sums are rounded to their area's 2^-45.
    const { area } = testScene(behind)
    expect(norm(field.map((f, i) => f - alone[i]))).toBeLessThan((1e-12 * area) / LAMBDA)
  }
})

test('a conductor among materials gives what it gives alone', async () => {
  const { scene, area } = testScene(models['ship-1m'].make())
  const job = sbrJob(monostatic(63, 31), BAND)
  const materials = {
    list: [PERFECT_CONDUCTOR],
    of: new Uint8Array(scene.count),
    isSheet: [false],
    sheets: false,
  }
  const [alone, among] = await Promise.all([
    solve({ scene, area }, job),
    solve({ scene: { ...scene, materials }, area }, job),
  ])
  expect(among.statistics.contributions).toBe(alone.statistics.contributions)
  expect(relativeDifference(among.field, alone.field)).toBeLessThan(1e-12)
})

test('a matched lossy sheet before a trihedral costs T twice', async () => {
  const lossy = sheet(layer([1.5, -0.5], 0.1 * LAMBDA, [1.5, -0.5]))
  // Across the line of sight, before the whole trihedral.
  const at = direction(54.7, 45)
  const frame = [at.thetaHat, at.phiHat, at.r]
  const screen = {
    ...plate(5),
    positions: Float64Array.from({ length: plate(5).positions.length }, (_, i) => {
      const from = 3 * Math.floor(i / 3)
      const p = plate(5).positions
      return frame[0][i % 3] * p[from] + frame[1][i % 3] * p[from + 1] + 2 * frame[2][i % 3]
    }),
  }
  const behind = (material: Material): Mesh =>
    made([squareTrihedral(1), PERFECT_CONDUCTOR], [screen, material])
  const options = { onlyBounce: 3, maxBounces: 3 }
  const aspect = { tx: at, rx: at }
  const [clear, through] = await Promise.all([NOTHING, lossy].map((m) => fieldOf(behind(m), aspect, options)))
  const { ts } = coefficients(lossy, 0)
  expect(norm(clear)).toBeGreaterThan(1)
  for (let c = 0; c < 4; c++)
    expect(apart(channel(through, c), times(times(ts, ts), channel(clear, c)))).toBeLessThan(
      1e-9 * norm(clear),
    )
})

test.each([
  ['coated ship', of(models['ship-1m'].make(), coating(layer([12, -0.6], 0.002, [2.2, -1.6])))],
  ['trihedral of glass', of(squareTrihedral(0.4), sheet(layer([6.3, -0.05], 0.004)))],
  ['sphere of film', of(sphere(0.1, 2), sheet({ impedance: [200, 50] }))],
])('%s: fields of a band by FFT keep their tolerance', async (_, mesh) => {
  const scene = testScene(mesh)
  for (const [width, n] of rows('0.15 64, 0.6 96')) {
    // prettier-ignore
    const band = { f0: 4e9 * (1 - width / 2), df: (4e9 * width) / (n - 1), n }
    const at = (options: Partial<SbrOptions>) =>
      solve(
        scene,
        sbrJob(monostatic(57, 35), band, {
          subdivisions: 1,
          raysPerWavelength: 5,
          maxBounces: 3,
          ...options,
        }),
      )
    const { field: want } = await at({ frequencySum: 'direct' })
    const peak = Math.max(...want.map(Math.abs))
    for (const sumTolerance of [1e-3, 1e-5, 1e-7]) {
      const { field } = await at({ frequencySum: 'fast', sumTolerance })
      const error = Math.max(...field.map((x, i) => Math.abs(x - want[i]))) / peak
      expect(error).toBeLessThan(sumTolerance)
      expect(error).toBeGreaterThan(1e-11)
    }
  }
})

test('extrapolated to the aspect itself the field stays what it is', async () => {
  const scene = testScene(of(squareTrihedral(1), GLASS))
  const aspect = monostatic(52, 38)
  const job = sbrJob(aspect, { f0: 1e9, df: 2e6, n: 20 }, { maxBounces: 2 })
  const { field } = await solve(scene, job)
  const extrapolated = await solve(scene, { ...job, extrapolation: { directions: [aspect.tx, aspect.tx] } })
  expect(sameBytes(extrapolated.field.slice(0, field.length), field)).toBe(true)
  expect(sameBytes(extrapolated.field.slice(field.length), field)).toBe(true)
})

test('the exit form is for perfect conductors', async () => {
  const scene = testScene(of(plate(1), GLASS))
  await expect(solve(scene, sbrJob(monostatic(20, 0), BAND, { formulation: 'exit' }))).rejects.toThrow(
    'exit form',
  )
})
