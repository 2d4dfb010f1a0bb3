import { expect, test } from 'vitest'
import { BACKPROJECTION_KERNEL, backprojectionConstants } from '../../gpu/imaging/engine.js'
import { GPUECO_KERNELS } from '../../gpu/gpueco/kernels.js'
import { kernelSource } from '../../gpu/kernel.js'
import { snakeCase } from '../../gpu/layout.js'
import { PROPAGATION_KERNELS, propagationConstants } from '../../gpu/propagation/kernels.js'
import { SBR_KERNELS, sbrConstants, withSheets, COUNTERS } from '../../gpu/sbr/kernels.js'
import { QUERY_KERNEL } from '../helpers/ray-query.js'
import { LEAF, QUAD } from '../../gpu/sbr/layouts.js'
import { batchPaths } from '../../gpu/sbr/results.js'
import { batchTiles, listCapacities, moreRoom, roomFor, USUAL_ROOM } from '../../gpu/sbr/plan.js'
import type { SbrOptions } from '../../rays/index.js'

// The package's main file is not the one that Node can import.
const { WgslReflect } = (await import(
  'wgsl_reflect/wgsl_reflect.module.js' as string
)) as typeof import('wgsl_reflect')

const lanes = { FREQUENCY_LANES: 4, SUM_DIGITS: 5, MATERIAL_COSINES: 64, MAX_WORDS: 64 }
const sbr = { ...sbrConstants({ depth: 4 }, 'lists', 7), ...lanes }
const raster = { FREQUENCY_LANES: 4, FREQUENCY_BLOCKS: 1, RASTER_LANES: 8 }
const propagation = { ...propagationConstants(7), STACK_SIZE: 20, WORKGROUP: 64, SPHERES: 1, COUNT: 0 }
const kernels = [
  ...[...Object.values(SBR_KERNELS), QUERY_KERNEL].map((kernel) => [kernel, sbr] as const),
  ...Object.values(SBR_KERNELS).map((kernel) => [withSheets(kernel), sbr] as const),
  ...Object.values(GPUECO_KERNELS).map((kernel) => [kernel, raster] as const),
  ...Object.values(PROPAGATION_KERNELS).map((kernel) => [kernel, propagation] as const),
  [BACKPROJECTION_KERNEL, backprojectionConstants(64)] as const,
].map(([kernel, constants]) => [kernel.name, kernel, constants] as const)

test.each(kernels)('%s: bindings are those of the contract, in order', (_, contract, constants) => {
  const reflected = new WgslReflect(kernelSource(contract, constants as Record<string, number>))
  const bindings = reflected.getBindGroups()[0].filter((b) => b !== undefined && b.binding >= 2)
  expect(bindings.map((b) => [b.binding, b.name, b.access])).toEqual(
    contract.buffers.map(({ name, access }, i) => [2 + i, snakeCase(name), access]),
  )
  expect(reflected.entry.compute.map((e) => e.name)).toEqual(['main'])
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

const options: SbrOptions = {
  raysPerWavelength: 10,
  maxBounces: 5,
  subdivisions: 2,
  formulation: 'all-bounces',
}
const needs = { listed: 1000, options, frequencies: 64, extrapolates: false }
const capacitiesOf = (tiles: number, room = USUAL_ROOM) => listCapacities(tiles, needs, room)

/** Counters of a batch with so many entries in some lists. */
function counters(counts: Partial<Record<keyof typeof COUNTERS, number>>, level = 0): Uint32Array {
  const words = new Uint32Array(COUNTERS.perAspect)
  for (const [name, count] of Object.entries(counts))
    words[COUNTERS[name as keyof typeof COUNTERS] + level] = count
  return words
}

test('lists that are not nearly full keep their room', () => {
  const capacities = capacitiesOf(64)
  const batch = counters({ batchLeaves: 0.89 * capacities.leaves, batchRecords: 0.5 * capacities.records })
  const { room, smaller } = roomFor([counters({}), batch], capacities, USUAL_ROOM)
  expect(room).toBe(USUAL_ROOM)
  expect(smaller).toBe(false)
})

test('what is nearly full or overflows gets room for it and a quarter more, at least half as much again; the others none', () => {
  const capacities = capacitiesOf(64)
  const nearly = counters({ batchRecords: Math.ceil(0.91 * capacities.records) })
  expect(roomFor([nearly, counters({})], capacities, USUAL_ROOM).room).toEqual({
    ...USUAL_ROOM,
    records: 1.5,
  })
  const over = counters({ batchQuads: 3 * capacities.quads })
  const { room, smaller } = roomFor([over], capacities, USUAL_ROOM)
  expect(room).toEqual({ ...USUAL_ROOM, quads: 3.75 })
  expect(smaller).toBe(false)
  expect(capacitiesOf(64, room).quads).toBeGreaterThanOrEqual(3.75 * capacities.quads - 1)
  expect(capacitiesOf(64, room).leaves).toBe(capacities.leaves)
  // The next batch of that kind is served.
  expect(roomFor([over], capacitiesOf(64, room), room).room).toBe(room)
})

test('tails of long paths have room of their own, and none where no path is long', () => {
  const long = { ...needs, options: { ...options, maxBounces: 50 } }
  const capacities = listCapacities(64, long)
  const { room } = roomFor([counters({ tails: 2 * capacities.tails })], capacities, USUAL_ROOM)
  expect(room).toEqual({ ...USUAL_ROOM, tails: 2.5 })
  expect(capacities.tails).toBeGreaterThan(capacitiesOf(64).tails)
  expect(capacitiesOf(64).tails).toBe(1)
  // All rays of one tile.
  expect(listCapacities(1, long).tails).toBeGreaterThan(256 * (1 + 4 + 16))
})

test('cells to subdivide are counted level by level', () => {
  const capacities = capacitiesOf(64)
  for (const level of [0, 1, 2, 4]) {
    const { room } = roomFor([counters({ items: 2 * capacities.items }, level)], capacities, USUAL_ROOM)
    expect(room).toEqual({ ...USUAL_ROOM, items: 2.5 })
  }
})

test('lists that may not be longer ask for smaller batches', () => {
  const capacities = capacitiesOf(16384)
  expect(capacities.groups).toBe(65535)
  const { room, smaller } = roomFor([counters({ groups: 65000 })], capacities, USUAL_ROOM)
  expect(smaller).toBe(true)
  expect(capacitiesOf(16384, room).groups).toBe(65535)
  expect(capacitiesOf(8192, room).groups / 8192).toBeGreaterThan(1.4 * (capacities.groups / 16384))
})

test('the larger room of two, list by list', () => {
  const a = { ...USUAL_ROOM, leaves: 2, items: 3 }
  const b = { ...USUAL_ROOM, leaves: 4, groups: 2 }
  expect(moreRoom(a, b)).toEqual({ ...USUAL_ROOM, leaves: 4, groups: 2, items: 3 })
})

test('more room makes batches smaller where memory is short', () => {
  const tiles = (room: typeof USUAL_ROOM): number => batchTiles(16384, needs, room, 2 ** 31, 1.75 * 2 ** 30)
  expect(tiles(USUAL_ROOM)).toBe(16384)
  expect(tiles({ ...USUAL_ROOM, records: 8, leaves: 4 })).toBeLessThan(16384)
})
