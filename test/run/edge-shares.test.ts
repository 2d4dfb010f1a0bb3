import { describe, expect, it } from 'vitest'
import { dynamicCounts, mapTimes, staticCounts } from '../../run/sweep/paper-003.js'
import type { AspectTimings } from '../../run/sweep/engines.js'
import type { TileRange } from '../../rays/index.js'

/** A row of parts of the given widths. */
function row(...widths: number[]): TileRange[] {
  let i0 = -7
  return widths.map((ni) => {
    const part = { i0, j0: 3, ni, nj: 4 }
    i0 += ni
    return part
  })
}

const timings = (partSeconds: number[], edges: number, edgeSeconds: number): AspectTimings => ({
  parts: row(...partSeconds.map(() => 4)),
  partSeconds,
  edges,
  edgeSeconds,
})

const sum = (a: number[]): number => a.reduce((x, y) => x + y, 0)

describe('static counts', () => {
  it('add up whatever the numbers', () => {
    for (let edges = 0; edges < 40; edges++) {
      const counts = staticCounts(row(3, 1, 7, 5), edges)
      expect(sum(counts)).toBe(edges)
      expect(Math.min(...counts)).toBeGreaterThanOrEqual(0)
    }
  })
})

describe('dynamic counts, equation (4)', () => {
  it('are cut where the edges are used up, and scaled to this aspect’s number', () => {
    expect(dynamicCounts(row(4, 4, 4), 1000, timings([8, 5, 1], 1000, 10))).toEqual([800, 200, 0])
    expect(dynamicCounts(row(4, 4, 4), 500, timings([2, 5, 1], 1000, 10))).toEqual([100, 250, 150])
  })
})

it('counts fall back to the static method without timings', () => {
  const previous = { parts: row(4, 4), partSeconds: [1, 1], edges: 0, edgeSeconds: 0 }
  expect(dynamicCounts(row(4, 4), 100, previous)).toEqual([50, 50])
})

describe('times carried over to other sub-grids', () => {
  it('go by position and lose nothing', () => {
    const previous = { parts: row(10, 10), partSeconds: [1, 3], edges: 1, edgeSeconds: 1 }
    expect(mapTimes(row(5, 5, 5, 5), previous)).toEqual([0.5, 0.5, 1.5, 1.5])
    const uneven = mapTimes(row(3, 8, 2), previous)
    expect(sum(uneven)).toBeCloseTo(4, 12)
    expect(uneven[0]).toBeCloseTo((1 * (3 / 13)) / 0.5, 12)
  })

  it('work in two dimensions', () => {
    const quarter = (i: number, j: number): TileRange => ({ i0: 4 * i, j0: 4 * j, ni: 4, nj: 4 })
    const previous = {
      parts: [quarter(0, 0), quarter(1, 0), quarter(0, 1), quarter(1, 1)],
      partSeconds: [1, 2, 3, 4],
      edges: 1,
      edgeSeconds: 1,
    }
    expect(mapTimes([{ i0: 0, j0: 0, ni: 8, nj: 4 }, { i0: 0, j0: 4, ni: 8, nj: 4 }], previous)).toEqual([3, 7]) // prettier-ignore
  })
})
