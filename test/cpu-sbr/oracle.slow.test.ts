import { expect, test } from 'vitest'
import { bandCases, casesOf, sbrCases, type SbrCase, aspectOf, openBox } from '../oracle/cases.js'
import { sbrReference } from '../oracle/sbr.js'
import type { AspectResult, SbrOptions } from '../../rays/index.js'
import { norm, sbrJob, solve, testScene } from '../helpers/sbr.js'
import { createCpuEngine } from '../../cpu-sbr/index.js'
import { cube, plate, sphere, squareTrihedral } from '../../samples/models/canonical.js'
import type { Mesh } from '../../scene/index.js'
import type { Material } from '../../scene/materials/index.js'
import { coating, CONDUCTOR, layer, made, sheet } from '../helpers/materials.js'
import { moved } from '../scene/shapes.js'

const engineOn = (of: SbrCase, sums: Partial<SbrOptions>): Promise<AspectResult> =>
  solve(
    testScene(of.target, of.options.smoothAngleDeg),
    sbrJob(of.aspect, of.band, { ...of.options, ...sums }),
  )

/**
 * Parts of a mirror. The engine rounds the sum of each tile to 2^-50 of 160 times the area (`fieldBound`), which is 1e-13; the rest
 * is rounding of path lengths, 1000 m of them for the target far from the origin.
 */
const ROUNDING = 1e-12

test.each(sbrCases)('%s: the CPU engine gives what the plain reference gives', async (_, make) => {
  const of = make()
  const reference = sbrReference(of.target, of.aspect, of.band, of.options)
  expect(reference.leaves).toBeGreaterThan(300)
  const { field, statistics } = await engineOn(of, { frequencySum: 'direct' })
  expect(statistics.leaves).toBe(reference.leaves)
  expect(statistics.contributions).toBe(reference.contributions)
  expect(norm(field.map((x, i) => x - reference.field[i]))).toBeLessThan(ROUNDING * of.mirror)
})

test.each(bandCases)('%s: sums by FFT keep their tolerance on the CPU engine', async (_, make) => {
  const of = make()
  const reference = sbrReference(of.target, of.aspect, of.band, of.options).field
  const peak = Math.max(...reference.map(Math.abs))
  for (const sumTolerance of [1e-3, 1e-5, 1e-8]) {
    const { field } = await engineOn(of, { frequencySum: 'fast', sumTolerance })
    const error = Math.max(...field.map((x, i) => Math.abs(x - reference[i]))) / peak
    expect(error).toBeLessThan(sumTolerance)
    // Far above rounding: it is the FFT's error.
    expect(error).toBeGreaterThan(1e-11)
  }
})

// Layers in parts of a wavelength: cases are 4 wavelengths across.
const ABSORBER = (lambda: number) => coating(layer([12, -0.6], 0.05 * lambda, [2.2, -1.6]))
const GLASS = (lambda: number) => sheet(layer([4, -0.1], 0.13 * lambda))
const FILM = sheet({ impedance: [200, 0] })

/** A horizontal plate of side `edge` at height z. */
const shelf = (edge: number, z: number): Mesh => moved(plate(edge), [0.07, -0.03, z])
const of = (mesh: Mesh, material: Material) => (): Mesh => made([mesh, material])
const twoSheets = (): Mesh => made([shelf(1, 0.3), GLASS(0.35)], [plate(0.9), FILM])
const behindSheet = (): Mesh => made([shelf(1.6, 1.2), GLASS(0.4)], [squareTrihedral(1), CONDUCTOR])
const overAbsorber = (): Mesh => made([openBox(), FILM], [shelf(0.6, -0.9), ABSORBER(0.5)])

/** Of few rays and frequencies, since the plain reference follows rays through all branches. */
const cases = casesOf(
  [
    ['coated plate, bistatic', of(plate(1), ABSORBER(Math.SQRT1_2 / 2)), [34, 12, 71, -108]],
    ['coated trihedral', of(squareTrihedral(1), ABSORBER(0.4)), [52, 38, 66, 19]],
    ['coated sphere', of(sphere(1, 1), ABSORBER(0.5)), [57, 35], { smoothAngleDeg: 50 }],
    ['resistive plate, bistatic', of(plate(1), FILM), [34, 12, 71, -108]],
    ['glass plate, receiver behind it', of(plate(1), GLASS(0.35)), [34, 12, 140, 170]],
    ['two sheets', twoSheets, [34, 12, 40, 31]],
    ['two sheets, receiver behind them', twoSheets, [34, 12, 151, 190]],
    ['trihedral behind a sheet', behindSheet, [32, 38]],
    ['trihedral with a wall of glass', of(squareTrihedral(1), GLASS(0.4)), [52, 38, 47, 50]],
    ['cube of film', of(cube(1), FILM), [63, 27], { maxBounces: 2 }],
    ['open box of film over absorber', overAbsorber, [68, -71], { maxBounces: 2 }],
  ],
  { raysPerWavelength: 5 },
  2,
)

test.each(cases)('%s: the CPU engine gives what the plain reference gives', async (_, make) => {
  const of = make()
  const reference = sbrReference(of.target, of.aspect, of.band, of.options)
  expect(norm(reference.field)).toBeGreaterThan(1e-5 * of.mirror)
  const scene = testScene(of.target, of.options.smoothAngleDeg)
  const { field } = await solve(scene, sbrJob(of.aspect, of.band, { ...of.options, frequencySum: 'direct' }))
  expect(norm(field.map((x, i) => x - reference.field[i]))).toBeLessThan(1e-12 * of.mirror)
})

test('a coated target of thousands of paths has the same bytes in parts and on one more run', async () => {
  const { scene, area } = testScene(made([sphere(1, 4), ABSORBER(0.25)]))
  const job = sbrJob(aspectOf(57, 35), { f0: 1.2e9, df: 0.05e9, n: 3 }, { raysPerWavelength: 16 })
  const engine = createCpuEngine(scene, area, 0, 64)
  const parts = await engine.begin(job)
  for (let i = 0; i < parts.parts.length; i++) {
    await parts.trace(i)
    await parts.field(i)
  }
  const divided = (await parts.finish())!
  expect(parts.parts.length).toBeGreaterThan(3)
  for (let run = 0; run < 2; run++) {
    const whole = await engine.field(job)
    expect(whole.statistics).toEqual(divided.statistics)
    expect(whole.field).toEqual(divided.field)
  }
  await engine.close()
})
