import { describe, expect, it } from 'vitest'
import { cpuField, createCpuEngine } from '../../cpu-sbr/index.js'
import { type Aperture, jobAperture, type SbrJob, type TileRange } from '../../rays/index.js'
import {
  ADJUST,
  adjustPartition,
  leafTiles,
  type Partition,
  uniformPartition,
} from '../../run/cluster/partition.js'
import { models } from '../../samples/models/index.js'
import { random } from '../helpers/random.js'
import { monostatic, norm, sameBytes, sbrJob, testScene } from '../helpers/sbr.js'

const aperture = (tileI0: number, tileJ0: number, tilesI: number, tilesJ: number): Aperture => ({
  d: [0, 0, -1],
  u: [1, 0, 0],
  v: [0, 1, 0],
  base: [0, 0, 1],
  h: 0.01,
  offset: [0, 0],
  tileI0,
  tileJ0,
  tilesI,
  tilesJ,
})

/** How often each tile of the aperture is in a leaf. */
function covering({ tileI0, tileJ0, tilesI, tilesJ }: Aperture, leaves: (TileRange | null)[]): number[] {
  const hits: number[] = Array.from({ length: tilesI * tilesJ }, () => 0)
  for (const leaf of leaves.filter((range) => range !== null))
    for (let j = 0; j < leaf.nj; j++)
      for (let i = 0; i < leaf.ni; i++) hits[(leaf.j0 + j - tileJ0) * tilesI + leaf.i0 + i - tileI0]++
  return hits
}

/** Work of a leaf: the number of its tiles, heavier where `load` says so, over its worker's speed. */
function times(
  leaves: (TileRange | null)[],
  load: (i: number, j: number) => number,
  speeds: number[],
): number[] {
  return leaves.map((leaf, w) => {
    if (!leaf) return 0
    let sum = 0
    for (let j = 0; j < leaf.nj; j++) for (let i = 0; i < leaf.ni; i++) sum += load(leaf.i0 + i, leaf.j0 + j)
    return sum / speeds[w]
  })
}

/** Parallel efficiency of a shared angle: mean over maximum of the workers' times. */
const efficiency = (seconds: number[]): number =>
  seconds.reduce((sum, t) => sum + t, 0) / (seconds.length * Math.max(...seconds))

function converge(
  box: Aperture,
  load: (i: number, j: number) => number,
  speeds: number[],
  angles: number,
  options = ADJUST,
): number {
  let partition = uniformPartition(speeds.length, box.tilesI / box.tilesJ)
  for (let a = 0; a < angles; a++)
    partition = adjustPartition(partition, times(leafTiles(partition, box), load, speeds), options)
  return efficiency(times(leafTiles(partition, box), load, speeds))
}

describe('the tree of an aperture', () => {
  it('covers every tile just once, whatever the times were, with as many leaves as workers', () => {
    const next = random(7)
    for (let trial = 0; trial < 150; trial++) {
      const workers = 1 + Math.floor(20 * next())
      const box = aperture(
        Math.floor(40 * next()) - 20,
        Math.floor(40 * next()) - 20,
        1 + Math.floor(30 * next()),
        1 + Math.floor(30 * next()),
      )
      let partition = uniformPartition(workers, box.tilesI / box.tilesJ)
      for (let angle = 0; angle < 4; angle++) {
        const leaves = leafTiles(partition, box)
        expect(leaves).toHaveLength(workers)
        expect(new Set(covering(box, leaves))).toEqual(new Set([1]))
        const seconds = leaves.map(() => (next() < 0.2 ? 0 : next() ** 4))
        partition = adjustPartition(partition, seconds, { threshold: 0.1 * next(), coefficient: next() })
      }
    }
  })

  it('cuts the longer side at floor(N/2)/N, and again', () => {
    expect(leafTiles(uniformPartition(5, 50 / 24), aperture(0, 0, 50, 24))).toEqual([
      { i0: 0, j0: 0, ni: 20, nj: 12 },
      { i0: 0, j0: 12, ni: 20, nj: 12 },
      { i0: 20, j0: 0, ni: 10, nj: 24 },
      { i0: 30, j0: 0, ni: 20, nj: 12 },
      { i0: 30, j0: 12, ni: 20, nj: 12 },
    ])
  })

  it('moves a cut as equation (4) says', () => {
    const uniform = uniformPartition(2, 2) as Extract<Partition, { axis: 0 | 1 }>
    expect(uniform).toMatchObject({ axis: 0, at: 0.5 })
    // Rows of the left side take 2, of the right side 6: (3 - 1) / (2 + 6) to the right of one half.
    const all = adjustPartition(uniform, [1, 3], { threshold: 0, coefficient: 1 })
    expect(all).toMatchObject({ at: 0.75 })
    expect(adjustPartition(uniform, [1, 3], { threshold: 0, coefficient: 0.5 })).toMatchObject({ at: 0.625 })
    // Below the threshold it stays.
    expect(adjustPartition(uniform, [1, 1.09], { threshold: 0.05, coefficient: 1 })).toMatchObject({
      at: 0.5,
    })
    expect(adjustPartition(uniform, [0, 0], ADJUST)).toEqual(uniform)
  })

  it('with an uneven load comes to use the workers well within ten angles', () => {
    const box = aperture(-30, 5, 200, 120)
    const ship = (i: number, j: number): number => (Math.abs(j - 60) < 25 && i > 0 && i < 150 ? 8 : 0.2)
    for (const workers of [2, 3, 4, 7, 8, 16]) {
      const speeds = Array.from({ length: workers }, () => 1)
      const before = converge(box, ship, speeds, 0)
      const after = converge(box, ship, speeds, 10)
      expect(after).toBeGreaterThan(0.85)
      expect(after).toBeGreaterThanOrEqual(before - 0.02)
    }
    expect(converge(box, ship, [1, 1, 1, 1, 1, 1, 1, 1], 0)).toBeLessThan(0.7)
  })

  it('gives slower workers less without being told of them', () => {
    const box = aperture(0, 0, 160, 160)
    const even = (): number => 1
    const speeds = [1, 1, 0.5, 0.5, 1, 1, 0.5, 0.5]
    expect(converge(box, even, speeds, 0)).toBeLessThan(0.8)
    expect(converge(box, even, speeds, 12)).toBeGreaterThan(0.9)
  })

  it('keeps up with a load that moves from angle to angle', () => {
    const box = aperture(0, 0, 128, 128)
    let partition = uniformPartition(8, 1)
    const speeds = Array.from({ length: 8 }, () => 1)
    const efficiencies = Array.from({ length: 60 }, (_, angle) => {
      const centre = 40 + 0.5 * angle
      const load = (i: number, j: number): number =>
        0.1 + 10 * Math.exp(-(((i - centre) / 20) ** 2) - ((j - 64) / 30) ** 2)
      const seconds = times(leafTiles(partition, box), load, speeds)
      partition = adjustPartition(partition, seconds)
      return efficiency(seconds)
    })
    const late = efficiencies.slice(10)
    expect(late.reduce((a, b) => a + b, 0) / late.length).toBeGreaterThan(0.85)
  })
})

describe('tiles', () => {
  const target = testScene(models['ship-1m'].make())
  const { scene, area } = target
  const engine = createCpuEngine(scene, area, 0)
  const job = (n: number, options: Partial<SbrJob['options']> = {}): SbrJob =>
    sbrJob(
      monostatic(78, 75),
      { f0: 1.5e9, df: n > 1 ? 1e7 : 0, n },
      { maxBounces: 3, subdivisions: 1, ...options },
    )

  /** The field of an aspect whose aperture is shared out among five. */
  async function shared(whole: SbrJob): Promise<Float64Array> {
    const aperture = jobAperture(scene, whole)
    const totals: BigInt64Array[] = []
    let tubes = 0
    for (const tiles of leafTiles(uniformPartition(5, 1), aperture)) {
      if (!tiles) continue
      const result = await engine.field({ ...whole, tiles })
      totals.push(result.totals!)
      tubes += result.statistics.tubes
    }
    expect(totals.length).toBeGreaterThan(2)
    expect(tubes).toBe((await engine.field(whole)).statistics.tubes)
    // In any order.
    totals.reverse()
    const sum = totals[0].map((x, i) => totals.reduce((s, part) => s + part[i], 0n * x))
    return cpuField(scene, area, whole, sum)
  }

  describe('parts of an aperture add up to the bytes of the whole', () => {
    const cases: [string, SbrJob][] = [
      ['at one frequency', job(1)],
      ['over a band, each frequency summed', job(20, { frequencySum: 'direct' })],
      ['over a band, summed as one', job(20, { frequencySum: 'fast' })],
    ]
    it.each(cases)('in double precision %s', async (_, whole) => {
      const { field } = await engine.field(whole)
      expect(norm(field)).toBeGreaterThan(0)
      expect(sameBytes(await shared(whole), field)).toBe(true)
    })

    it('refuses tiles that are not the aperture’s', async () => {
      const { tileI0, tileJ0, tilesI, tilesJ } = jobAperture(scene, job(1))
      const tiles = { i0: tileI0 - 1, j0: tileJ0, ni: tilesI, nj: tilesJ }
      await expect(engine.field({ ...job(1), tiles })).rejects.toThrow('are not tiles of')
    })
  })
})
