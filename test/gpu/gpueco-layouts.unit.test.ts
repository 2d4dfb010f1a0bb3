import { expect, test } from 'vitest'
import { GPUECO_KERNELS, COUNT_WORDS, COUNTERS } from '../../gpu/gpueco/kernels.js'
import { ASPECT_BYTES, JOB_BYTES, packAspects, packJob, STEP_BYTES } from '../../gpu/gpueco/uniforms.js'
import { kernelSource } from '../../gpu/kernel.js'
import { C0 } from '../../scene/constants.js'
import { direction } from '../../scene/direction.js'
import { PIECE_SAMPLES, RASTER_GRAZING, rasterAxes, rasterImage } from '../../raster/raster-scene.js'

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

test('uniforms lie where the host writes them', () => {
  const [, , reflected] = kernels[0]
  const struct = (name: string) => reflected.structs.find((s) => s.name === name)!
  expect(struct('Job').size).toBe(JOB_BYTES)
  expect(struct('Step').size).toBe(STEP_BYTES)
  expect(struct('Aspect').size).toBe(ASPECT_BYTES)
  const offset = (name: string, member: string): number =>
    struct(name).members.find((m) => m.name === member)!.offset

  const image = rasterImage(2.5, 640)
  const counts = { facets: 11, works: 12, pieces: 13, tile: 320, group: 64, fixedExponent: -7 }
  const job = new DataView(packJob({ f0: 3e9, df: 1e6, n: 17 }, image, counts))
  const words: Record<string, number> = { zero: 0, frequencies: 17, facets: 11, works: 12, pieces: 13, size: 640, tile: 320, group: 64 } // prettier-ignore
  for (const [member, value] of Object.entries(words))
    expect([member, job.getUint32(offset('Job', member), true)]).toEqual([member, value])
  expect(job.getInt32(offset('Job', 'fixed_exponent'), true)).toBe(-7)
  expect(job.getFloat32(offset('Job', 'wave'), true)).toBe(Math.fround(3e9 / C0))
  expect(job.getFloat32(offset('Job', 'k') + 8, true)).toBe(Math.fround(image.pixel))
  expect(job.getFloat32(offset('Job', 'centre') + 4, true)).toBe(Math.fround(image.centre[1]))

  const aspect = { tx: direction(70, 20), rx: direction(50, 95) }
  const rows = new DataView(packAspects([aspect, aspect]).buffer)
  const { u, v } = rasterAxes(aspect.tx)
  const vectors = {
    r: aspect.tx.r,
    u,
    v,
    w: aspect.tx.r.map((x, a) => x + aspect.rx.r[a]),
    tx_v: aspect.tx.thetaHat,
    tx_h: aspect.tx.phiHat,
    rx_v: aspect.rx.thetaHat,
    rx_h: aspect.rx.phiHat,
    s: aspect.rx.r,
  }
  for (const [member, vector] of Object.entries(vectors))
    vector.forEach((x, a) =>
      expect(rows.getFloat32(ASPECT_BYTES + offset('Aspect', member) + 4 * a, true)).toBe(Math.fround(x)),
    )
})

test('constants that host and kernels share', () => {
  const source =
    kernelSource(GPUECO_KERNELS.visible, CONSTANTS) + kernelSource(GPUECO_KERNELS.edges, CONSTANTS)
  const constant = (name: string): number =>
    Number(new RegExp(`const ${name} = ([\\d.e-]+)u?;`).exec(source)?.[1])
  expect({
    countWords: constant('COUNT_WORDS'),
    partialArgs: constant('PARTIAL_ARGS'),
    notFinite: constant('NOT_FINITE'),
    head: constant('COUNTERS_HEAD'),
    perAspect: constant('COUNTERS_ASPECT'),
    facets: constant('SEEN_FACETS'),
    pieces: constant('SEEN_PIECES'),
    grazing: constant('GRAZING'),
  }).toEqual({ countWords: COUNT_WORDS, ...COUNTERS, grazing: RASTER_GRAZING })
  expect(source).toContain(`@workgroup_size(${PIECE_SAMPLES})`)
})
