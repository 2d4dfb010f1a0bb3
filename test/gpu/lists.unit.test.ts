import { expect, test } from 'vitest'
import { COUNTERS } from '../../gpu/sbr/kernels.js'
import { batchTiles, listCapacities, moreRoom, roomFor, USUAL_ROOM } from '../../gpu/sbr/plan.js'
import type { SbrOptions } from '../../rays/index.js'

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
