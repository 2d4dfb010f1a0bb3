import { expect, test } from 'vitest'
import { differingLeaves, PathReplay } from '../../reproduction/leaf-sets.js'
import type { GpuSbrEngine } from '../../gpu/sbr/engine.js'
import { dihedral, squareTrihedral } from '../../samples/models/canonical.js'
import { models } from '../../samples/models/index.js'
import { C0, wavenumber, direction, type Aspect, type Mesh } from '../../scene/index.js'
import {
  jobAperture,
  MAX_BOUNCES,
  tubeSide,
  type SbrJob,
  type SbrOptions,
  wholeAperture,
} from '../../rays/index.js'
import { KEPT_FACETS } from '../../gpu/sbr/layouts.js'
import { listCapacities } from '../../gpu/sbr/plan.js'
import { sharedEngines } from '../helpers/gpu.js'
import { pipe } from '../helpers/pipe.js'
import {
  bandUpTo,
  monostatic,
  norm,
  relativeDifference,
  sbrJob,
  solve,
  testScene,
  type TestScene,
} from '../helpers/sbr.js'
import { aspectOf } from '../oracle/cases.js'
import { join, moved, rows } from '../scene/shapes.js'

const engineOf = await sharedEngines()

interface Parity {
  field: Float64Array
  /** Difference from the double-precision sum over the same paths, over the norm of the whole scattering matrix. */
  replayed: number
  /** Difference from the double-precision engine with its own paths, over the field of a mirror, k A / 2 pi. */
  independent: number
  leaves: number
  differing: number
  corners: number
}

async function compare(engine: GpuSbrEngine, target: TestScene, job: SbrJob): Promise<Parity> {
  const { field, statistics } = await engine.field(job)
  const replay = new PathReplay(target.scene, job)
  const leaves = await differingLeaves(target.scene, job, (visit) =>
    engine.paths(job, (path) => {
      replay.add(path)
      visit(path)
    }),
  )
  expect(leaves.gpu).toBe(statistics.leaves)
  const own = await solve(target, job)
  expect(leaves.cpu).toBe(own.statistics.leaves)
  const mirror = (wavenumber(job.band.f0) * target.area * Math.sqrt(job.band.n)) / (2 * Math.PI)
  return {
    field,
    replayed: relativeDifference(field, replay.finish()),
    independent: norm(field.map((x, i) => x - own.field[i])) / mirror,
    leaves: leaves.gpu,
    differing: leaves.differing,
    corners: leaves.corners,
  }
}

/**
 * What single precision may cost: paths at edges go one way or the other, each of which a few footprints (of up to 5
 * bounces) may hang on; the rest agrees to 1e-7 of a mirror, and the same paths to 1e-5 of their own sum.
 */
function expectParity(p: Parity, target: TestScene, job: SbrJob): void {
  expect(p.replayed).toBeLessThan(1e-5)
  expect(p.differing).toBeLessThanOrEqual(4 + 2e-3 * p.leaves)
  // Launched rays take facets for larger than double precision does (shaders/facet_test.wgsl): a quad's corner may fall
  // on the facet beside, of the same surface.
  expect(p.corners).toBeLessThanOrEqual(4 + 4e-3 * p.leaves)
  expect(p.independent).toBeLessThan(1e-7 + (5 * p.differing * tubeSide(job) ** 2) / target.area)
}

test.each(Object.keys(models))('%s: the GPU gives what double precision gives', async (name) => {
  const target = testScene(models[name].make())
  const engine = engineOf(target)
  const top = (8 * C0) / target.scene.diagonal
  for (const [theta, phi] of rows('80 25, 118 -160')) {
    const job = sbrJob(monostatic(theta, phi), bandUpTo(top))
    const parity = await compare(engine, target, job)
    expect(parity.leaves).toBeGreaterThan(100)
    expectParity(parity, target, job)
  }
})

const LONG = { maxBounces: MAX_BOUNCES }
/** Besides these, bistatic ones, the exit form and one bounce alone: oracle.test.ts. */
const variants: [string, () => Mesh, Aspect, Partial<SbrOptions>][] = [
  ['bistatic through a body', () => models.cube.make(), aspectOf(60, 30, 100, 170), {}],
  ['no subdivision', () => dihedral(1), monostatic(80, 20), { subdivisions: 0 }],
  ['four subdivisions', () => dihedral(1), monostatic(80, 20), { subdivisions: 4, raysPerWavelength: 5 }],
  ['many reflections', () => models.missile.make(), monostatic(90, 180), LONG],
  ['a box open at one end', () => pipe(0.1, 1), monostatic(40, 20), LONG],
  ['a round duct open at one end', () => pipe(0.1, 1, 16), monostatic(40, 20), LONG],
  ['tubes that the limit cuts off', () => pipe(0.1, 1), monostatic(65, 20), { maxBounces: 12 }],
  ['fewer bounces than records hold', () => pipe(0.1, 1), monostatic(65, 20), { maxBounces: 3 }],
  ['one bounce of long paths', () => pipe(0.1, 1), monostatic(40, 20), { ...LONG, onlyBounce: 22 }],
  ['exit from a box', () => pipe(0.1, 1), monostatic(40, 20), { ...LONG, formulation: 'exit' }],
]

test.each(variants)('%s', async (_, make, aspect, options) => {
  const target = testScene(make())
  const top = (8 * C0) / target.scene.diagonal
  const job = sbrJob(aspect, bandUpTo(top), options)
  const engine = engineOf(target)
  const parity = await compare(engine, target, job)
  expectParity(parity, target, job)
})

test('more long paths than the lists have room for at first', async () => {
  const target = testScene(pipe(0.3, 1))
  const top = (8 * C0) / target.scene.diagonal
  const options = { maxBounces: MAX_BOUNCES, raysPerWavelength: 40, subdivisions: 0 }
  const job = sbrJob(monostatic(50, 20), bandUpTo(top, 1), options)
  const engine = engineOf(target)
  const parity = await compare(engine, target, job)
  expectParity(parity, target, job)
  let long = 0
  await engine.paths(job, ({ facets }) => (long += facets.length > KEPT_FACETS ? 1 : 0))
  const { ni, nj } = wholeAperture(jobAperture(target.scene, job))
  const needs = { listed: 0, options: job.options, frequencies: 1, extrapolates: false }
  expect(long).toBeGreaterThan(listCapacities(ni * nj, needs).tails)
})

/** Nine trihedrals of 4 wavelengths that face (50, 40), 12 m deep along that direction. */
function deepScene(lambda: number): Mesh {
  const { r, thetaHat, phiHat } = direction(50, 40)
  const across = (i: number): number => 8 * lambda * (i - 1)
  return join(
    ...Array.from({ length: 9 }, (_, i) => {
      const depth = 12 * (i / 8 - 0.5)
      const at = r.map(
        (x, a) => depth * x + across(i % 3) * thetaHat[a] + across(Math.floor(i / 3)) * phiHat[a],
      )
      return moved(squareTrihedral(4 * lambda), [at[0], at[1], at[2]])
    }),
  )
}

test.each([10e9, 100e9])('phases at %s Hz over 12 m keep 1e-5 of the total', async (freqHz) => {
  const target = testScene(deepScene(C0 / freqHz))
  expect(target.scene.diagonal).toBeGreaterThan(11.9)
  const job = sbrJob(
    monostatic(50, 40),
    { f0: 0.99 * freqHz, df: 0.005 * freqHz, n: 3 },
    { raysPerWavelength: 5 },
  )
  const parity = await compare(engineOf(target), target, job)
  expect(parity.leaves).toBeGreaterThan(2000)
  expect(parity.replayed).toBeLessThan(1e-5)
})
