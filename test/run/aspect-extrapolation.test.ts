import { describe, expect, it, test } from 'vitest'
import { buildEdgeScene, createEdgeEngine } from '../../cpu-diffraction/index.js'
import { createCpuEngine } from '../../cpu-sbr/index.js'
import { formImage, imageCorrelation } from '../../isar/index.js'
import type { Engines } from '../../run/sweep/engines.js'
import { referenceAspectCount, aspectGroups } from '../../run/sweep/aspect-solver.js'
import { runSweep } from '../../run/sweep/sweep.js'
import { rowField, rowLength, type SweepJob } from '../../run/sweep/rows.js'
import { RowStore } from '../../run/sweep/row-store.js'
import { models } from '../../samples/models/index.js'
import { direction } from '../../scene/index.js'
import { channelMatrix } from '../../formats/rcs-table.js'
import { temporaryFolder } from '../cli/cli.js'
import { OPTIONS, relativeDifference, testScene } from '../helpers/sbr.js'

const { target, scene } = testScene(models['ship-1m'].make())
const edgeScene = buildEdgeScene(target, 160, scene.origin)
const engines: Engines = {
  facets: createCpuEngine(scene, target.area, 0),
  options: { ...OPTIONS, raysPerWavelength: 6 },
  edges: {
    engine: createEdgeEngine(edgeScene, scene, { workers: 0 }),
    // The number of segments at a reference aspect.
    options: { diffraction: 'tw-ildc', segmentsPerWavelength: 1 },
  },
  mechanisms: false,
  schedule: 'overlapped',
}

/** 15 % bandwidth about 3 GHz, theta 80, and as much aperture: 1 / 3 m of resolution. */
const sweep = (
  phiDeg: number,
  count: number,
  references?: number,
  phaseCentre: [number, number, number] = [0, 0, 0],
): SweepJob => ({
  aspects: Array.from({ length: count }, (_, i) => {
    const d = direction(80, phiDeg + (8.6 / (count - 1)) * (i - (count - 1) / 2))
    return { tx: d, rx: d }
  }),
  bands: [{ f0: 2.775e9, df: 0.45e9 / 12, n: 13 }],
  phaseCentre,
  ...(references !== undefined && { groups: aspectGroups([...Array(count).keys()], references) }),
})

async function fieldsOf(job: SweepJob, signal?: AbortSignal): Promise<Float64Array[]> {
  const store = await RowStore.open(temporaryFolder(), 'sweep', rowLength(job, 1), false)
  try {
    await runSweep(engines, job, store, () => {}, signal)
    return job.aspects.map((_, i) => rowField(job, store.rows.get(i)!))
  } finally {
    store.close()
  }
}

describe('aspect extrapolation', () => {
  for (const centre of [
    [0, 0, 0],
    [0.2, -0.3, 0.1],
  ] as [number, number, number][])
    it(`gives the fields of the reference aspect itself, phases referred to ${centre.join()}`, async () => {
      const fields = await fieldsOf(sweep(25, 9, 1, centre))
      const [want] = await fieldsOf({
        ...sweep(25, 9, undefined, centre),
        aspects: [sweep(25, 9).aspects[4]],
      })
      // But for the kernel's and the interpolation's error, edges in segments as long as the wavelength.
      expect(relativeDifference(fields[4], want)).toBeLessThan(2e-3)
    })

  it('gives phases of a single bounce that are right at every angle', async () => {
    const own = { ...engines, edges: undefined, options: { ...engines.options, maxBounces: 1 } }
    const solve = async (references?: number): Promise<Float64Array[]> => {
      const job = sweep(25, 9, references)
      const store = await RowStore.open(temporaryFolder(), 'sweep', rowLength(job, 1), false)
      await runSweep(own, job, store, () => {})
      store.close()
      return job.aspects.map((_, i) => rowField(job, store.rows.get(i)!))
    }
    const [fields, want] = [await solve(1), await solve()]
    expect(relativeDifference(fields[4], want[4])).toBeLessThan(1e-12)
    // Amplitudes and what is lit change by some per cent over a degree; phases of metres do not.
    for (const m of [3, 5]) expect(relativeDifference(fields[m], want[m])).toBeLessThan(0.15)
  })

  it('gives nearly the image of the full sweep, and the same fields where every aspect is a reference', async () => {
    const full = await fieldsOf(sweep(25, 13))
    const { aspects, bands } = sweep(25, 13)
    const history = {
      freqHz: Float64Array.from({ length: bands[0].n }, (_, n) => bands[0].f0 + n * bands[0].df),
      thetaDeg: 80,
      phiDeg: Float64Array.from(aspects, (a) => a.tx.phiDeg),
    }
    const imageOf = (fields: Float64Array[]): Float64Array =>
      formImage(
        { ...history, f: channelMatrix(fields, bands[0].n, 'vv') },
        { rangeM: [-1, 1], crossRangeM: [-1, 1], size: { rows: 32, cols: 32 } },
      ).image
    const correlation = async (references: number): Promise<number> =>
      imageCorrelation(imageOf(await fieldsOf(sweep(25, 13, references))), imageOf(full))
    for (const references of [1, 4]) expect(await correlation(references)).toBeGreaterThan(0.999)
    expect(await fieldsOf(sweep(25, 13, 13))).toEqual(full)
  })

  it('resumes with the rows already computed', async () => {
    const job = sweep(25, 6, 2)
    const want = await fieldsOf(job)
    const folder = temporaryFolder()
    const open = () => RowStore.open(folder, 'sweep', rowLength(job, 1), true)
    let store = await open()
    const stop = new AbortController()
    const stopped = runSweep(
      engines,
      job,
      store,
      ({ done }) => done > 0 && stop.abort(new Error('enough')),
      stop.signal,
    )
    await expect(stopped).rejects.toThrow('enough')
    store.close()
    store = await open()
    expect(store.rows.size).toBeGreaterThan(0)
    await runSweep(engines, job, store, () => {})
    expect(job.aspects.map((_, i) => rowField(job, store.rows.get(i)!))).toEqual(want)
    store.close()
  })
})

test('the default number of reference aspects follows the size in wavelengths, at most one per aspect', () => {
  const { aspects } = sweep(0, 31)
  const references = (diagonal: number): number => referenceAspectCount(aspects, { diagonal }, 3e9)
  expect(references(0.001)).toBe(1)
  expect(references(4) / references(1)).toBeCloseTo(2, 0)
  expect(references(1e6)).toBe(31)
  expect(aspectGroups([3, 4, 5, 6, 7], 2)).toEqual([
    [3, 4],
    [5, 6, 7],
  ])
})

test('extrapolation stops when its signal fires', async () => {
  await expect(fieldsOf(sweep(0, 3, 1), AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough')
})

test('bistatic aspects are refused', async () => {
  const job = sweep(0, 3, 1)
  job.aspects[0] = { tx: direction(70, 0), rx: direction(75, 0) }
  await expect(fieldsOf(job)).rejects.toThrow('monostatic')
})
