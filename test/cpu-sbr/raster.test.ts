import { expect, test, describe, it } from 'vitest'
import { momCut } from '../../reproduction/cases.js'
import { EdgeFace, Wedge } from '../../cpu-diffraction/index.js'
import { readMesh } from '../../formats/index.js'
import { plate, sphere, cube } from '../../samples/models/canonical.js'
import { models } from '../../samples/models/index.js'
import { C0, wavenumber, direction, dot, type Aspect, type Vec3 } from '../../scene/index.js'
import { symmetrise } from '../../rays/index.js'
import { curveErrors } from '../../src/validate/errors.js'
import { drawOnCpu, onlyPart, testRaster } from '../helpers/gpueco.js'
import { facetPo } from '../helpers/po.js'
import { db, monostatic, relativeDifference, sbrJob, sigma, solve, testScene, at } from '../helpers/sbr.js'
import { join, moved, scaled, rows } from '../scene/shapes.js'
import { metalEdges } from '../../rays/raster-scene.js'
import { type Material, PERFECT_CONDUCTOR, slab } from '../../scene/materials/index.js'
import { coating, layer, made } from '../helpers/materials.js'

test('a convex body: every facet whole, whatever the pixels', async () => {
  const mesh = sphere(1, 3)
  const raster = testRaster(mesh)
  const aspect: Aspect = { tx: direction(70, 20), rx: direction(50, 95) }
  const job = onlyPart(sbrJob(aspect, at(1e9)), 'facets')
  for (const size of [32, 100])
    expect(relativeDifference(await drawOnCpu(raster, size, job), facetPo(mesh, 1e9, aspect))).toBeLessThan(
      1e-10,
    )
})

test('backscatter of the paper’s sphere is that of physical optics in closed form', async () => {
  // F = (a/2) exp(2jka) [1 - sin(ka)/(ka) exp(-jka)]: 5.16 dBsm; the rest is the tessellation's.
  const ka = wavenumber(1e9)
  const [s, c] = [Math.sin(ka), Math.cos(ka)]
  const closed = db(Math.PI * Math.hypot(1 - (s / ka) * c, (s / ka) * s) ** 2)
  const field = await drawOnCpu(testRaster(sphere(1, 5)), 128, sbrJob(monostatic(90, 0), at(1e9)))
  expect(Math.abs(db(sigma(field, 'vv')) - closed)).toBeLessThan(0.1)
})

test('a plate half behind another radiates what is seen of it', async () => {
  const behind = plate(1)
  // In front of the half x > 0, a little over the edges so that only its inner side crosses the plate.
  const cover = moved(plate(1.2), [0.6, 0, 0.5])
  const seenHalf = {
    ...behind,
    positions: behind.positions.map((x, i) => (i % 3 === 0 && x > 0 ? 0 : x)),
  }
  const aspect = monostatic(0, 0)
  const both = testRaster(join(behind, cover))
  for (const [size, limit] of rows('64 0.02, 512 0.0025')) {
    const job = onlyPart(sbrJob(aspect, at(3e9)), 'facets')
    const field = await drawOnCpu(both, size, job)
    const expected = facetPo(join(seenHalf, cover), 3e9, aspect)
    const error = relativeDifference(field, expected)
    expect(error).toBeLessThan(limit)
  }
})

test('no wedge of a cube that has a lit face is lost, from anywhere, and no other is found', async () => {
  const raster = testRaster(models.cube.make())
  const { edges } = raster
  const freqHz = 1e9
  const k = wavenumber(freqHz)
  let seed = 7
  const random = (): number => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) / 2 ** 32
  const aspects = Array.from({ length: 150 }, () =>
    monostatic((Math.acos(2 * random() - 1) * 180) / Math.PI, 360 * random()),
  )
  // A face nearly edge-on is far narrower than a pixel.
  for (const tilt of [1e-3, 0.01, 0.1, 1])
    aspects.push(monostatic(90 - tilt, tilt), monostatic(45, tilt), monostatic(90, tilt))
  let worst = 0
  const face = new EdgeFace('eec')
  for (const aspect of aspects) {
    const found = await drawOnCpu(raster, 48, onlyPart(sbrJob(aspect, at(freqHz)), 'edges'))
    const expected = new Float64Array(8)
    for (let e = 0; e < edges.count; e++) {
      const y = (f: number): Vec3 =>
        Array.from(edges.frames.subarray(18 * e + 9 * f + 3, 18 * e + 9 * f + 6)) as Vec3
      const lit = [0, 1].map((f) => dot(y(f), aspect.tx.r) > 1e-6)
      if (!lit[0] && !lit[1]) continue
      const [x0, y0, z0, tx, ty, tz, length, N] = edges.edges.subarray(8 * e, 8 * e + 8)
      const w = aspect.tx.r.map((r) => 2 * r) as Vec3
      const slide = dot(w, [tx, ty, tz])
      const psi = k * (dot(w, [x0, y0, z0]) + 0.5 * slide * length + dot(w, raster.scene.origin))
      const half = 0.5 * k * slide * length
      const size = length * (half === 0 ? 1 : Math.sin(half) / half)
      for (let f = 0; f < 2; f++) {
        if (!face.aim(new Wedge(N), edges.frames, 18 * e + 9 * f, aspect, lit[f])) continue
        for (let ch = 0; ch < 4; ch++) {
          expected[2 * ch] += face.untruncated[ch] * size * Math.cos(psi)
          expected[2 * ch + 1] += face.untruncated[ch] * size * Math.sin(psi)
        }
      }
    }
    worst = Math.max(worst, relativeDifference(found, expected))
  }
  expect(worst).toBeLessThan(1e-9)
})

test('cube of 1 m at 3 GHz: edges bring physical optics to the method of moments', async () => {
  const cut = momCut('cube1m_3ghz__th90_phi0-90')
  const raster = testRaster(await readMesh('test/validation/mom/cube1m_3ghz.stl'))
  const curve = async (part?: 'facets'): Promise<Float64Array[]> => {
    const [vv, hh] = [new Float64Array(cut.vv.length), new Float64Array(cut.hh.length)]
    for (let i = 0; i < cut.theta.length; i++) {
      const job = sbrJob(monostatic(cut.theta[i], cut.phi[i]), at(cut.freqHz))
      const field = await drawOnCpu(raster, 96, part ? onlyPart(job, part) : job)
      symmetrise(field)
      vv.set(field.subarray(0, 2), 2 * i)
      hh.set(field.subarray(2, 4), 2 * i)
    }
    return [vv, hh]
  }
  const [whole, facets] = [await curve(), await curve('facets')]
  for (const [i, reference] of [cut.vv, cut.hh].entries()) {
    const [a, b] = [curveErrors(whole[i], reference).db, curveErrors(facets[i], reference).db]
    // The goal is 1.2 dB; what is reached is 0.10 and 0.35.
    expect(a).toBeLessThan(0.5)
    expect(a).toBeLessThan(b)
  }
})

test('bistatic runs without a wavelength of their own: halving frequency and doubling the target scales F', async () => {
  const mesh = models.missile.make()
  const aspect: Aspect = { tx: direction(80, 30), rx: direction(60, 70) }
  const top = C0 / 0.1
  const one = await drawOnCpu(testRaster(mesh), 128, sbrJob(aspect, at(top)))
  const two = await drawOnCpu(testRaster(scaled(mesh, 2)), 128, sbrJob(aspect, at(top / 2)))
  expect(
    relativeDifference(
      two.map((x) => x / 2),
      one,
    ),
  ).toBeLessThan(1e-9)
})

const absorber = coating(layer([6, -1.2], 0.004), layer([12, -0.6], 0.001, [2.2, -1.6]))
const BAND = { f0: 2e9, df: 1e9, n: 3 }

/** Against one bounce of rays on a fine lattice, relative. */
async function offRays(mesh: Parameters<typeof testRaster>[0], aspect: Aspect): Promise<number> {
  const job = sbrJob(aspect, BAND, { maxBounces: 1, raysPerWavelength: 24, subdivisions: 4 })
  const rays = (await solve(testScene(mesh), job)).field
  return relativeDifference(await drawOnCpu(testRaster(mesh), 64, onlyPart(job, 'facets')), rays)
}

describe('rasterised physical optics of materials', () => {
  it('in backscatter is the conductor times R_s and R_p, at every frequency', async () => {
    for (const theta of [0, 35, 70]) {
      const job = onlyPart(sbrJob(monostatic(theta, 0), BAND), 'facets')
      const bare = await drawOnCpu(testRaster(plate(0.3)), 64, job)
      const coated = await drawOnCpu(testRaster({ ...plate(0.3), groupMaterials: [absorber] }), 64, job)
      const out = new Float64Array(8)
      const expected = bare.slice()
      for (let f = 0; f < BAND.n; f++) {
        slab(absorber, BAND.f0 + f * BAND.df, Math.cos((theta * Math.PI) / 180), out)
        // V is p at phi 0, H is s; a conductor has R_p = 1, R_s = -1.
        for (const [at, re, im] of [
          [0, out[2], out[3]],
          [2, -out[0], -out[1]],
        ]) {
          const i = 8 * f + at
          expected[i] = bare[i] * re - bare[i + 1] * im
          expected[i + 1] = bare[i] * im + bare[i + 1] * re
        }
      }
      expect(relativeDifference(coated, expected)).toBeLessThan(1e-12)
    }
  })

  it.each([
    ['plate, monostatic', plate(0.5), monostatic(25, 30)],
    ['plate, bistatic', plate(0.5), { tx: direction(25, 30), rx: direction(60, 140) }],
    ['cube, monostatic', cube(0.4), monostatic(60, 25)],
    ['cube, bistatic', cube(0.4), { tx: direction(60, 25), rx: direction(40, 80) }],
  ])('%s: one bounce of rays', async (_, mesh, aspect) => {
    const coated = { ...mesh, groupMaterials: [absorber] }
    const [bare, off] = [await offRays(mesh, aspect), await offRays(coated, aspect)]
    // What the lattice leaves is of the rim, alike for metal.
    expect(off).toBeLessThan(Math.max(2 * bare, 0.005))
    expect(off).toBeLessThan(0.03)
  })

  it('edges of metal diffract, those of other facets stay dark', async () => {
    const top = { ...absorber, name: 'top' } as Material
    const lid = made([plate(0.3), PERFECT_CONDUCTOR], [moved(plate(0.3), [2, 0, 0]), top])
    const { scene, edges } = testRaster(lid)
    const metal = metalEdges(edges)
    expect([edges.count, metal.count]).toEqual([8, 4])
    const job = onlyPart(sbrJob(monostatic(40, 10), BAND), 'edges')
    const alone = await drawOnCpu(testRaster(plate(0.3)), 64, job)
    expect(relativeDifference(await drawOnCpu({ scene, edges: metal }, 64, job), alone)).toBeLessThan(1e-9)
    expect(metalEdges(testRaster(plate(0.3)).edges).count).toBe(4)
  })

  it('knows the back of a facet that is coated on its front alone, and facets of several materials', async () => {
    const front: Material = { ...absorber, sides: 'front' } as Material
    const sheet = { ...plate(0.3), groupMaterials: [front] }
    const at = async (theta: number, mesh: Parameters<typeof testRaster>[0]) =>
      drawOnCpu(testRaster(mesh), 64, onlyPart(sbrJob(monostatic(theta, 10), BAND), 'facets'))
    expect(relativeDifference(await at(160, sheet), await at(160, plate(0.3)))).toBeLessThan(1e-12)
    expect(relativeDifference(await at(20, sheet), await at(20, plate(0.3)))).toBeGreaterThan(0.3)
    // Side by side, far enough to hide nothing.
    const other = moved(plate(0.3), [1, 0, 0])
    const both = made([plate(0.3), absorber], [other, PERFECT_CONDUCTOR])
    const [sum, one, two] = [
      await at(30, both),
      await at(30, { ...plate(0.3), groupMaterials: [absorber] }),
      await at(30, other),
    ]
    expect(relativeDifference(sum, one.map((x, i) => x + two[i]))).toBeLessThan(1e-9) // prettier-ignore
  })
})
