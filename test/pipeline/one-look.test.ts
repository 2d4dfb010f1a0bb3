import { describe, expect, it, test } from 'vitest'
import { buildEdgeScene } from '../../cpu-diffraction/edge-scene.js'
import { createEdgeEngine } from '../../cpu-diffraction/index.js'
import { createCpuEngine } from '../../cpu-sbr/engine.js'
import { formImage } from '../../isar/image.js'
import { imageCorrelation } from '../../isar/correlation.js'
import { lookAtSweep, type LookEdges } from '../../pipeline/one-look.js'
import { movePhaseCentre, symmetrise, type SweepJob } from '../../pipeline/sweep.js'
import { models } from '../../samples/models/index.js'
import { direction } from '../../scene/direction.js'
import type { SbrEngine } from '../../scene/sbr.js'
import { buildRayScene } from '../../scene/ray-scene.js'
import { prepareTarget } from '../../scene/target.js'
import { channelMatrix } from '../../src/rcs-table.js'
import { norm, OPTIONS } from '../helpers/sbr.js'

const target = prepareTarget(models['ship-1m'].make(), { smoothAngleDeg: 20 })
const scene = buildRayScene(target)
const edges: LookEdges = {
  scene: buildEdgeScene(target, 160, scene.origin),
  rays: scene,
  truncation: 'tw-ildc',
}
const sbr: SbrEngine = createCpuEngine(scene, target.area, 0)
const edgeEngine = createEdgeEngine(edges.scene, scene, { workers: 0 })
const options = { ...OPTIONS, raysPerWavelength: 6 }

/** 15 % bandwidth about 3 GHz, theta 80, and as much aperture: 1 / 3 m of resolution. */
const sweep = (
  phiDeg: number,
  count: number,
  phaseCentre: [number, number, number] = [0, 0, 0],
): SweepJob => ({
  aspects: Array.from({ length: count }, (_, i) => {
    const d = direction(80, phiDeg + (8.6 / (count - 1)) * (i - (count - 1) / 2))
    return { tx: d, rx: d }
  }),
  bands: [{ f0: 2.775e9, df: 0.45e9 / 12, n: 13 }],
  phaseCentre,
})

/** One aspect as a sweep computes it, with the edges. */
async function exactly({ aspects, bands: [band], phaseCentre }: SweepJob, m: number): Promise<Float64Array> {
  const aspect = aspects[m]
  const { field } = await sbr.aspect({ aspect, band, options })
  const edge = await edgeEngine.aspect({ aspect, band, options: { diffraction: 'tw-ildc' } })
  for (let i = 0; i < field.length; i++) field[i] += edge.field[i]
  symmetrise(field)
  movePhaseCentre(field, band, aspect, phaseCentre)
  return field
}

const difference = (a: Float64Array, b: Float64Array): number => norm(a.map((x, i) => x - b[i])) / norm(b)

describe('one look', () => {
  for (const centre of [
    [0, 0, 0],
    [0.2, -0.3, 0.1],
  ] as [number, number, number][])
    it(`gives the fields of the aspect it looks from, phases referred to ${centre.join()}`, async () => {
      const job = sweep(25, 9, centre)
      const { fields, aspects } = await lookAtSweep(sbr, options, edges, job)
      expect(fields.length).toBe(9)
      expect(aspects.map((a) => a.tx.phiDeg)).toEqual([25])
      const want = await exactly(job, 4)
      // In the middle of the band but for the spreading; elsewhere shapes are those of the middle.
      const middle = (a: Float64Array): Float64Array => a.slice(8 * 6, 8 * 7)
      expect(difference(middle(fields[4]), middle(want))).toBeLessThan(2e-3)
      expect(difference(fields[4], want)).toBeLessThan(0.03)
    })

  it('makes nearly the image of the full sweep, and more looks a better one', async () => {
    const job = sweep(25, 13)
    const full = await Promise.all(job.aspects.map((_, m) => exactly(job, m)))
    const [band] = job.bands
    const history = {
      freqHz: Float64Array.from({ length: band.n }, (_, n) => band.f0 + n * band.df),
      thetaDeg: 80,
      phiDeg: Float64Array.from(job.aspects, (a) => a.tx.phiDeg),
    }
    const imageOf = (fields: Float64Array[], polarFormat: boolean): Float64Array =>
      formImage(
        { ...history, f: channelMatrix(fields, band.n, 'vv') },
        { rangeM: [-1, 1], crossRangeM: [-1, 1], size: { rows: 32, cols: 32 }, polarFormat },
      ).image
    const correlation = async (looks: number): Promise<number> => {
      const { fields } = await lookAtSweep(sbr, options, edges, job, looks)
      return imageCorrelation(imageOf(fields, false), imageOf(full, true))
    }
    const one = await correlation(1)
    expect(one).toBeGreaterThan(0.95)
    expect(await correlation(13)).toBeGreaterThan(one)
  })
})

test('a preview stops where its signal says so', async () => {
  const stopped = lookAtSweep(sbr, options, edges, sweep(0, 3), 1, AbortSignal.abort(new Error('enough')))
  await expect(stopped).rejects.toThrow('enough')
})

test('a sweep over theta is refused', async () => {
  const job = sweep(0, 3)
  job.aspects[0] = { tx: direction(70, 0), rx: direction(70, 0) }
  await expect(lookAtSweep(sbr, options, edges, job)).rejects.toThrow('along phi')
})
