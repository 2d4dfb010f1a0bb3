import { expect, test } from 'vitest'
import { kernelSource } from '../../gpu/kernel.js'
import { DYNAMIC_STRIDE, snakeCase } from '../../gpu/layout.js'
import {
  CELL_RAY_WORDS,
  COUNTERS,
  SBR_KERNELS,
  sbrConstants,
  TILE_RAY_WORDS,
  withSheets,
} from '../../gpu/sbr/kernels.js'
import { batchPaths } from '../../gpu/sbr/results.js'
import { QUERY_KERNEL } from '../../reproduction/ray-query.js'
import { LEAF, QUAD, SBR_JOB, SBR_STEP } from '../../gpu/sbr/layouts.js'
import { packJob, packSteps } from '../../gpu/sbr/plan.js'
import { fitAperture, MAX_SUBDIVISIONS, tubeSide } from '../../rays/index.js'
import { C0, wavenumber, direction } from '../../scene/index.js'
import { models } from '../../samples/models/index.js'
import { sbrJob, testScene } from '../helpers/sbr.js'

// The package's main file is not the one that Node can import.
const { WgslReflect } = (await import(
  'wgsl_reflect/wgsl_reflect.module.js' as string
)) as typeof import('wgsl_reflect')

const LEVELS = MAX_SUBDIVISIONS + 1
const CONSTANTS = {
  ...sbrConstants({ depth: 4 }, 'lists', 7),
  FREQUENCY_LANES: 4,
  SUM_DIGITS: 5,
  MATERIAL_COSINES: 64,
  MAX_WORDS: 64,
}
const forSheets = Object.fromEntries(
  Object.entries(SBR_KERNELS).map(([name, contract]) => [`${name}, with sheets`, withSheets(contract)]),
)
const kernels = Object.entries({ ...SBR_KERNELS, ...forSheets, queryRays: QUERY_KERNEL }).map(
  ([name, contract]) => [name, contract, new WgslReflect(kernelSource(contract, CONSTANTS))] as const,
)

test.each(kernels)('%s: bindings are those of the contract, in order', (_, contract, reflected) => {
  const bindings = reflected.getBindGroups()[0]
  expect(bindings.map((b) => [b.binding, b.name, b.access])).toEqual([
    [0, 'job', 'read'],
    [1, 'step_', 'read'],
    ...contract.buffers.map(({ name, access }, i) => [2 + i, snakeCase(name), access]),
  ])
  expect(reflected.entry.compute.map((e) => e.name)).toEqual(['main'])
  expect(contract.name).toBe(snakeCase(contract.modules[contract.modules.length - 1]))
})

test('a path has the lattice cell of its record and the facets that its rays meet', () => {
  const tiles = { i0: -3, j0: 5, ni: 2, nj: 1 }
  const radiates = 0x80000000
  const leaf = {
    cell: 70 | (9 << 16),
    levelCount: 2 | (3 << 8),
    record: 8,
    tail: 77,
    facets: [radiates + 4, 6, radiates + 4, 9, 9],
  }
  const long = { ...leaf, levelCount: 7 << 8, tail: 1, facets: [radiates + 4, 6, 4, 3, radiates + 2] }
  const quad = { cell: 31 | (15 << 16), level: 0, record: 0, facet: 12 }
  const capacity = 3
  const leaves = new Uint32Array(capacity * LEAF.words + 2 * 4)
  leaves.set(new Uint32Array(LEAF.pack(leaf)))
  leaves.set(new Uint32Array(LEAF.pack(long)), LEAF.words)
  leaves.set([radiates + 1, 8], capacity * LEAF.words + 4)
  const quads = new Uint32Array(QUAD.pack({ ...quad, cornerFacets: [12, 13, 14, 15] }))
  expect([...batchPaths(tiles, 9, { leaves, count: 2, capacity, quads })]).toEqual([
    {
      level: 2,
      i: -3 * 64 + 70,
      j: 5 * 64 + 9,
      facets: Int32Array.of(4, 6, 4),
      radiating: Uint8Array.of(1, 0, 1),
      corners: null,
    },
    {
      level: 0,
      i: -3 * 16 + 70,
      j: 5 * 16 + 9,
      facets: Int32Array.of(4, 6, 4, 3, 2, 1, 8),
      radiating: Uint8Array.of(1, 0, 0, 0, 1, 1, 0),
      corners: null,
    },
    {
      level: 0,
      i: -3 * 16 + 31,
      j: 5 * 16 + 15,
      radiating: Uint8Array.of(1),
      facets: Int32Array.of(12),
      corners: Int32Array.of(12, 13, 14, 15),
    },
  ])
})

test("the aspect's uniform holds the job, doubles in two floats", () => {
  const { scene } = testScene(models.cube.make())
  const job = sbrJob(
    { tx: direction(70, 20), rx: direction(55, -31) },
    { f0: 2.9e9, df: 0.05e9, n: 3 },
    { onlyBounce: 3, subdivisions: 4, maxBounces: 7 },
  )
  const a = fitAperture(scene, job.aspect.tx, tubeSide(job))
  const capacities = {
    leaves: 11,
    tails: 21,
    quads: 12,
    records: 13,
    quadRecords: 14,
    hitSums: 0,
    amplitudes: 0,
    groups: 15,
    items: 16,
    chunks: 17,
    tiles: 18,
    facetLists: 19,
    frequencies: 1,
  }
  const shape = { count: 20, diagonal: 4.5, facetLists: true, materialNodes: 21 }
  const packed = SBR_JOB.read(packJob(job, a, 0.125, -7, capacities, shape))
  const { tx, rx } = job.aspect
  const single = (numbers: ArrayLike<number>): number[] => Array.from(numbers, Math.fround)
  const rest = (numbers: ArrayLike<number>): number[] =>
    Array.from(numbers, (x) => Math.fround(x - Math.fround(x)))
  const twoFloat = (x: number): number[] => [...single([x]), ...rest([x])]
  expect(packed).toEqual({
    base: single(a.base),
    baseLo: rest(a.base),
    u: single(a.u),
    uLo: rest(a.u),
    v: single(a.v),
    vLo: rest(a.v),
    d: single(a.d),
    dLo: rest(a.d),
    s: single(rx.r),
    sLo: rest(rx.r),
    txV: single(tx.thetaHat),
    txH: single(tx.phiHat),
    rxV: single(rx.thetaHat),
    rxH: single(rx.phiHat),
    tubeSide: twoFloat(a.h),
    offsetU: twoFloat(a.offset[0]),
    offsetV: twoFloat(a.offset[1]),
    cyclesPerMetre: twoFloat(2.9e9 / C0),
    cyclesPerMetreStep: twoFloat(0.05e9 / C0),
    wavenumber: Math.fround(wavenumber(2.9e9)),
    wavenumberStep: Math.fround(wavenumber(0.05e9)),
    lift: 0.125,
    diagonal: 4.5,
    zero: 0,
    exitForm: 0,
    onlyBounce: 3,
    depth: 4,
    fixedExponent: -7,
    frequencies: 3,
    leafCapacity: 11,
    tailCapacity: 21,
    quadCapacity: 12,
    recordCapacity: 13,
    quadRecordCapacity: 14,
    groupCapacity: 15,
    itemCapacity: 16,
    chunkCapacity: 17,
    tileCapacity: 18,
    slots: 20,
    facetLists: 1,
    materialNodes: 21,
  })

  const exit = SBR_JOB.read(
    packJob(
      { ...job, options: { ...job.options, formulation: 'exit', onlyBounce: undefined } },
      a,
      0,
      0,
      capacities,
      { ...shape, facetLists: false },
    ),
  )
  expect(exit).toMatchObject({ exitForm: 1, depth: 0, facetLists: 0, onlyBounce: 0 })
})

test("the uniforms of an aspect's dispatches stand as far apart as dynamic offsets need", () => {
  const step = {
    cellI: -48,
    cellJ: 32,
    tilesI: 3,
    tilesJ: 6,
    level: 2,
    firstFrequency: 64,
    frequencyCount: 17,
    firstTotal: 322,
    directionChange: [0.5, -0.25, 2],
  }
  const other = { ...step, cellI: 1, cellJ: -2, directionChange: [0, 0, 0] }
  const packed = packSteps([other, step])
  expect(SBR_STEP.read(packed)).toEqual(other)
  expect(SBR_STEP.read(packed, DYNAMIC_STRIDE)).toEqual(step)
  expect(DYNAMIC_STRIDE % 256).toBe(0)
  expect(DYNAMIC_STRIDE).toBeGreaterThanOrEqual(SBR_STEP.size)
})

test('positions of counters follow each other, those of a batch first', () => {
  const { words, perAspect, ...positions } = COUNTERS
  expect(positions).toMatchObject({ groups: 0, tiles: 1, chunks: 2, items: 2 + LEVELS })
  expect(perAspect).toBe(positions.overflow)
  expect(perAspect).toBe(7 + 2 * LEVELS)
  expect(words).toBe(perAspect + 3 + 2 * LEVELS)
  const { GROUPS, CUT_OFF_LEAVES, ...others } = sbrConstants({ depth: 4 }, 'stack', 7)
  expect([GROUPS, CUT_OFF_LEAVES]).toEqual([0, words - LEVELS])
  expect(others).toMatchObject({ ITEM_CELL: 0, ITEM_CORNERS: 1, ITEM_CENTRE: 13, ITEM_WORDS: 16 })
})

test('rays of a tile: 289 corners of three words, 256 centres with five facets; of a cell: four of each', () => {
  expect(TILE_RAY_WORDS).toBe(3 * 289 + 9 * 256)
  expect(CELL_RAY_WORDS).toBe(4 * 3 + 4 * 9)
})
