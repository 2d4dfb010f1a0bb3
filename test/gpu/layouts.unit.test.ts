import { expect, test } from 'vitest'
import { kernelSource } from '../../gpu/kernel.js'
import {
  COUNTERS,
  FACET_LIST,
  ITEM_WORDS,
  leafWords,
  QUAD_WORDS,
  rayWords,
  SBR_KERNELS,
  SEARCHERS,
  TILE_LIST,
  tileRayWords,
} from '../../gpu/sbr/kernels.js'
import { QUERY_KERNEL } from '../../gpu/sbr/ray-query.js'
import { JOB_BYTES, packJob, packSteps, STEP_BYTES, STEP_STRIDE } from '../../gpu/sbr/uniforms.js'
import { fitAperture } from '../../rays/aperture.js'
import { wavenumber } from '../../scene/band.js'
import { C0 } from '../../scene/constants.js'
import { direction } from '../../scene/direction.js'
import { tubeSide } from '../../rays/sbr.js'
import { models } from '../../samples/models/index.js'
import { sbrJob, testScene } from '../helpers/sbr.js'

// The package's main file is not the one that Node can import.
const { WgslReflect } = (await import(
  'wgsl_reflect/wgsl_reflect.module.js' as string
)) as typeof import('wgsl_reflect')

const CONSTANTS = { MAX_BOUNCES: 7, STACK_SIZE: 20, LISTS: 1, FREQUENCY_LANES: 4, SUM_DIGITS: 5 }
const kernels = Object.entries({ ...SBR_KERNELS, queryRays: QUERY_KERNEL }).map(
  ([name, contract]) => [name, contract, new WgslReflect(kernelSource(contract, CONSTANTS))] as const,
)

const snake = (name: string): string => name.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`)

test.each(kernels)('%s: bindings are those of the contract, in order', (_, contract, reflected) => {
  const bindings = reflected.getBindGroups()[0]
  expect(bindings.map((b) => [b.binding, b.name, b.access])).toEqual([
    [0, 'job', 'read'],
    [1, 'step_', 'read'],
    ...contract.buffers.map(({ name, access }, i) => [2 + i, snake(name), access]),
  ])
  expect(reflected.entry.compute.map((e) => e.name)).toEqual(['main'])
  expect(contract.name).toBe(snake(contract.modules[contract.modules.length - 1]))
})

const [, , reflected] = kernels[0]
const struct = (name: string) => reflected.structs.find((s) => s.name === name)!
const offset = (name: string, member: string): number => {
  const found = struct(name).members.find((m) => m.name === member)
  if (!found) throw new Error(`${name} has no member ${member}`)
  return found.offset
}

test('sizes of the uniforms', () => {
  expect(struct('Job').size).toBe(JOB_BYTES)
  expect(struct('Step').size).toBe(STEP_BYTES)
  expect(struct('Group').size).toBe(32)
  expect(STEP_STRIDE % 256).toBe(0)
  expect(STEP_STRIDE).toBeGreaterThanOrEqual(STEP_BYTES)
})

test("every member of the aspect's uniform lies where the host writes it", () => {
  const { scene } = testScene(models.cube.make())
  const job = sbrJob(
    { tx: direction(70, 20), rx: direction(55, -31) },
    { f0: 2.9e9, df: 0.05e9, n: 3 },
    { onlyBounce: 3, subdivisions: 4, maxBounces: 7 },
  )
  const a = fitAperture(scene, job.aspect.tx, tubeSide(job))
  const capacities = {
    leaves: 11,
    quads: 12,
    records: 13,
    quadRecords: 14,
    places: 0,
    groups: 15,
    items: 16,
    chunks: 17,
    tiles: 18,
    facetLists: 19,
    frequencies: 1,
  }
  const shape = { count: 20, diagonal: 4.5, facetLists: true }
  const view = new DataView(packJob(job, a, 0.125, -7, capacities, shape))
  const floats = (member: string): number[] =>
    [0, 4, 8, 12].map((b) => view.getFloat32(offset('Job', member) + b, true))
  const word = (member: string): number => view.getUint32(offset('Job', member), true)

  const pairs: Record<string, number[]> = {
    base: [...a.base, a.h],
    u: [...a.u, a.offset[0]],
    v: [...a.v, a.offset[1]],
    d: [...a.d, 2.9e9 / C0],
    s: [...job.aspect.rx.r, 0.05e9 / C0],
  }
  for (const [member, values] of Object.entries(pairs)) {
    expect(floats(member)).toEqual(values.map(Math.fround))
    expect(floats(`${member}_lo`)).toEqual(values.map((x) => Math.fround(x - Math.fround(x))))
  }
  const { tx, rx } = job.aspect
  expect(floats('tx_v')).toEqual([...tx.thetaHat, wavenumber(2.9e9)].map(Math.fround))
  expect(floats('tx_h')).toEqual([...tx.phiHat, wavenumber(0.05e9)].map(Math.fround))
  expect(floats('rx_v')).toEqual([...rx.thetaHat, 0.125].map(Math.fround))
  expect(floats('rx_h').slice(0, 3)).toEqual(rx.phiHat.map(Math.fround))
  expect(word('zero')).toBe(0)
  expect(word('exit_form')).toBe(0)
  expect(word('bounce_mask')).toBe(0b100)
  expect(word('depth')).toBe(4)
  expect(view.getInt32(offset('Job', 'fixed_exponent'), true)).toBe(-7)
  expect(word('frequencies')).toBe(3)
  expect(
    ['leaf', 'quad', 'record', 'quad_record', 'group', 'item', 'chunk', 'tile'].map((l) =>
      word(`${l}_capacity`),
    ),
  ).toEqual([11, 12, 13, 14, 15, 16, 17, 18])
  expect([word('slots'), word('facet_lists')]).toEqual([20, 1])
  expect(view.getFloat32(offset('Job', 'diagonal'), true)).toBe(4.5)

  const exit = new DataView(
    packJob(
      { ...job, options: { ...job.options, formulation: 'exit', onlyBounce: undefined } },
      a,
      0,
      0,
      capacities,
      { ...shape, facetLists: false },
    ),
  )
  expect(exit.getUint32(offset('Job', 'exit_form'), true)).toBe(1)
  expect(exit.getUint32(offset('Job', 'depth'), true)).toBe(0)
  expect(exit.getUint32(offset('Job', 'facet_lists'), true)).toBe(0)
  expect(exit.getUint32(offset('Job', 'bounce_mask'), true)).toBe(0xffffffff)
})

test("every member of a dispatch's uniform lies where the host writes it", () => {
  const steps = [
    {
      cellI: -48,
      cellJ: 32,
      tilesI: 3,
      level: 2,
      firstFrequency: 64,
      frequencyCount: 17,
      tilesJ: 6,
      firstTotal: 322,
    },
    { cellI: 1, cellJ: -2, tilesI: 4, level: 0, firstFrequency: 0, frequencyCount: 5, tilesJ: 7 },
  ]
  const view = new DataView(packSteps(steps))
  steps.forEach((step, n) =>
    Object.entries(step).forEach(([member, value]) =>
      expect(view.getInt32(STEP_STRIDE * n + offset('Step', snake(member)), true)).toBe(value),
    ),
  )
  const turned = new DataView(packSteps([{ ...steps[1], turn: [0.5, -0.25, 2] }]))
  expect([0, 4, 8].map((b) => turned.getFloat32(offset('Step', 'turn') + b, true))).toEqual([0.5, -0.25, 2])
})

test('constants that host and kernels share', () => {
  const source = (['searchFacets', 'traceTiles', 'sortChildren'] as const)
    .map((name) => kernelSource(SBR_KERNELS[name], CONSTANTS))
    .join('\n')
  const constant = (name: string): number => Number(new RegExp(`const ${name} = (\\d+)u`).exec(source)?.[1])
  expect({
    batchLeaves: constant('LEAVES'),
    batchQuads: constant('QUADS'),
    overflow: constant('OVERFLOW'),
    lit: constant('LIT_LEAVES'),
    cutOff: constant('CUT_OFF_LEAVES'),
    records: constant('TOTAL_RECORDS'),
    notFinite: constant('NOT_FINITE'),
    itemWords: constant('ITEM_WORDS'),
    quadWords: constant('QUAD_WORDS'),
    searchers: constant('SEARCHERS'),
    tileList: constant('TILE_LIST'),
    facetList: constant('FACET_LIST'),
  }).toEqual({
    batchLeaves: COUNTERS.batchLeaves,
    batchQuads: COUNTERS.batchQuads,
    overflow: COUNTERS.overflow,
    lit: COUNTERS.lit,
    cutOff: COUNTERS.cutOff,
    records: COUNTERS.records,
    notFinite: COUNTERS.notFinite,
    itemWords: ITEM_WORDS,
    quadWords: QUAD_WORDS,
    searchers: SEARCHERS,
    tileList: TILE_LIST,
    facetList: FACET_LIST,
  })
  expect(constant('OVERFLOW')).toBe(COUNTERS.perAspect)
  expect(source).toContain('const LEAF_WORDS = 4u + MAX_BOUNCES;')
  expect(leafWords(7)).toBe(11)
  expect(source).toContain('const RAY_WORDS = 12u + 4u * CENTRE_WORDS;')
  expect(rayWords(7)).toBe(12 + 4 * 11)
  expect(source).toContain('const TILE_RAY_WORDS = 3u * CORNERS + CENTRE_WORDS * CENTRES;')
  expect(tileRayWords(7)).toBe(3 * constant('CORNERS') + 11 * constant('CENTRES'))
})
