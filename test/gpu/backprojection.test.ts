import { describe, expect, it } from 'vitest'
import { GpuBackprojector } from '../../gpu/index.js'
import { planBackprojection, PULSE_GROUP } from '../../isar/index.js'
import { gpuJob } from '../../src/imaging/solve.js'
import { sharedGpu } from '../helpers/gpu.js'
import { circularPass, pointPulses } from '../../samples/models/gotcha.js'
import { backprojectAll } from '../helpers/pulses.js'
import { linspace, random } from '../isar/points.js'

const context = await sharedGpu()
const freqHz = linspace(9.3e9, 9.9e9, 48)

describe.each([
  ['10 km away', 10_000],
  ['near', 40],
  ['in the far field', Infinity],
])('backprojection on the GPU, the radar %s', (_, rangeM) => {
  const pass = circularPass({ pulses: 150, spanDeg: 4, elevationDeg: 45, rangeM })
  const history = pointPulses(pass, freqHz, [
    { at: [3, -2, 0], re: 1 },
    { at: [-4.3, 3.3, 0], re: 0.2, im: -0.4 },
  ])
  const next = random(2)
  for (let i = 0; i < history.f.length; i++) history.f[i] += 0.3 * next()
  const plan = planBackprojection(history, { plane: 'ground', window: 'taylor', acrossM: [-7, 5], alongM: [-5, 6], pixelM: 0.15 }) // prettier-ignore

  it('is that of double precision within 1e-4 of the peak, and the same for any tiles and batches', async () => {
    const expected = backprojectAll(history, plan)
    const whole = await new GpuBackprojector(context, { group: PULSE_GROUP }).run(gpuJob(history, plan))
    let [worst, peak] = [0, 0]
    for (let i = 0; i < expected.length; i += 2) {
      worst = Math.max(worst, Math.hypot(expected[i] - whole[i], expected[i + 1] - whole[i + 1]))
      peak = Math.max(peak, Math.hypot(expected[i], expected[i + 1]))
    }
    expect(worst / peak).toBeLessThan(1e-4)
    const cut = new GpuBackprojector(context, { group: PULSE_GROUP, batchBytes: 1, tileBytes: 1600 })
    expect(await cut.run(gpuJob(history, plan))).toEqual(whole)
  })
})
