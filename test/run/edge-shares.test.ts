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
  it('follow the share of the aperture', () => {
    expect(staticCounts(row(10, 20, 10), 400)).toEqual([100, 200, 100])
  })

  it('add up whatever the numbers', () => {
    for (let edges = 0; edges < 40; edges++) {
      const counts = staticCounts(row(3, 1, 7, 5), edges)
      expect(sum(counts)).toBe(edges)
      expect(Math.min(...counts)).toBeGreaterThanOrEqual(0)
    }
  })
})

describe('dynamic counts, equation (4)', () => {
  it('give each part the edges that take as long as its sub-grid did', () => {
    // 1000 edges took 10 s: 10 ms each. Parts of 2, 5 and 1 s take 200, 500 and the rest.
    expect(dynamicCounts(row(4, 4, 4), 1000, timings([2, 5, 1], 1000, 10))).toEqual([200, 500, 300])
  })

  it('are cut where the edges are used up, and scaled to this aspect’s number', () => {
    expect(dynamicCounts(row(4, 4, 4), 1000, timings([8, 5, 1], 1000, 10))).toEqual([800, 200, 0])
    expect(dynamicCounts(row(4, 4, 4), 500, timings([2, 5, 1], 1000, 10))).toEqual([100, 250, 150])
  })

  it('fall back to the static method without timings', () => {
    expect(dynamicCounts(row(4, 4), 100, timings([1, 1], 0, 0))).toEqual([50, 50])
  })

  it('recover one aspect after a disturbance', () => {
    // Edges cost 1 ms, sub-grids 0.2, 0.6 and 0.2 s. At aspect 3 the workers are five times slower.
    const truth = [0.2, 0.6, 0.2]
    let previous = timings(truth, 1000, 1)
    const seen: number[][] = []
    for (let aspect = 1; aspect <= 5; aspect++) {
      const counts = dynamicCounts(row(4, 4, 4), 1000, previous)
      seen.push(counts)
      previous = timings(truth, 1000, aspect === 3 ? 5 : 1)
    }
    expect(seen[2]).toEqual([200, 600, 200])
    expect(seen[3]).toEqual([40, 120, 840])
    expect(seen[4]).toEqual([200, 600, 200])
  })
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
