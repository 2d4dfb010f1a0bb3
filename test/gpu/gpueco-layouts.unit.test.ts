import { expect, test } from 'vitest'
import { ASPECT, GPUECO_JOB, GPUECO_KERNELS, packAspects, packJob } from '../../gpu/gpueco/kernels.js'
import { kernelSource } from '../../gpu/kernel.js'
import { C0, wavenumber, direction } from '../../scene/index.js'
import { rasterAxes, rasterImage } from '../../rays/raster-scene.js'

// The package's main file is not the one that Node can import.
const { WgslReflect } = (await import(
  'wgsl_reflect/wgsl_reflect.module.js' as string
)) as typeof import('wgsl_reflect')

const CONSTANTS = { FREQUENCY_LANES: 4, FREQUENCY_BLOCKS: 1, RASTER_LANES: 8 }
const kernels = Object.entries(GPUECO_KERNELS).map(
  ([name, contract]) => [name, contract, new WgslReflect(kernelSource(contract, CONSTANTS))] as const,
)

test.each(kernels)('%s: bindings are those of the contract, in order', (_, contract, reflected) => {
  expect(reflected.getBindGroups()[0].map((b) => [b.binding, b.name, b.access])).toEqual([
    [0, 'job', 'read'],
    [1, 'step_', 'read'],
    ...contract.buffers.map(({ name, access }, i) => [2 + i, name, access]),
  ])
  expect(contract.buffers.length).toBeLessThanOrEqual(8)
  expect(contract.name).toBe(contract.modules.at(-1))
})

test('the uniform of a batch holds the band, the image and the counts', () => {
  const image = rasterImage(2.5, 640)
  const counts = { facets: 11, works: 12, pieces: 13, tile: 320, group: 64, fixedExponent: -7 }
  const twoFloat = (x: number): number[] => [Math.fround(x), Math.fround(x - Math.fround(x))]
  expect(GPUECO_JOB.read(packJob({ f0: 3e9, df: 1e6, n: 17 }, image, counts))).toEqual({
    ...counts,
    cyclesPerMetre: twoFloat(3e9 / C0),
    cyclesPerMetreStep: twoFloat(1e6 / C0),
    wavenumber: Math.fround(wavenumber(3e9)),
    wavenumberStep: Math.fround(wavenumber(1e6)),
    pixel: Math.fround(image.pixel),
    rounding: Math.fround(image.rounding),
    centre: image.centre.map(Math.fround),
    zero: 0,
    frequencies: 17,
    size: 640,
  })
})

test('aspects follow each other, each with its directions, axes and phase gradient', () => {
  const aspect = { tx: direction(70, 20), rx: direction(50, 95) }
  const { u, v } = rasterAxes(aspect.tx)
  const w = aspect.tx.r.map((x, a) => x + aspect.rx.r[a])
  const single = (numbers: ArrayLike<number>): number[] => Array.from(numbers, Math.fround)
  expect(ASPECT.read(packAspects([aspect, aspect]), ASPECT.size)).toEqual({
    r: single(aspect.tx.r),
    u: single(u),
    v: single(v),
    w: single(w),
    wLo: single(w.map((x) => x - Math.fround(x))),
    txV: single(aspect.tx.thetaHat),
    txH: single(aspect.tx.phiHat),
    rxV: single(aspect.rx.thetaHat),
    rxH: single(aspect.rx.phiHat),
    s: single(aspect.rx.r),
  })
})
