import { describe, expect, it } from 'vitest'
import { leafTiles, uniformPartition } from '../../run/cluster/partition.js'
import { cpuField, createCpuEngine } from '../../cpu-sbr/index.js'
import { models } from '../../samples/models/index.js'
import { jobAperture, type SbrJob } from '../../rays/index.js'
import { monostatic, norm, sbrJob, testScene, sameBytes } from '../helpers/sbr.js'

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
