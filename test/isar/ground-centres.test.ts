import { expect, it } from 'vitest'
import {
  backproject,
  compressPulses,
  planBackprojection,
  PointSpread,
  type PulseHistory,
  scatteringCentres,
  differentialRange,
} from '../../isar/index.js'
import { C0, direction } from '../../scene/index.js'

const freqHz = Float64Array.from({ length: 33 }, (_, m) => 9.6e9 + 18.75e6 * m)
const PULSES = 65
/** Points on the ground [m] and their amplitudes. */
const POINTS = [
  { x: 3.13, y: -2.41, a: 1 },
  { x: -1.02, y: 0.57, a: 0.4 },
  { x: 2.2, y: 2.9, a: 0.2 },
]

/** History of points, seen over 5 degrees from a distance [m], or from afar where it is infinite. */
function historyOf(distance: number, points = POINTS): PulseHistory {
  const farField = distance === Infinity
  const antenna = Float64Array.from({ length: 3 * PULSES }, (_, i) => {
    const { r } = direction(45, 37.5 + (5 * Math.floor(i / 3)) / (PULSES - 1))
    return r[i % 3] * (farField ? 1 : distance)
  })
  const geometry = { antenna, referenceM: new Float64Array(PULSES).fill(farField ? 0 : distance), farField }
  const f = new Float64Array(2 * freqHz.length * PULSES)
  for (const { x, y, a } of points)
    for (let n = 0; n < PULSES; n++) {
      const d = differentialRange(geometry, n, [x, y, 0])
      freqHz.forEach((hz, m) => {
        const phase = (-4 * Math.PI * hz * d) / C0
        f[2 * (m * PULSES + n)] += a * Math.cos(phase)
        f[2 * (m * PULSES + n) + 1] += a * Math.sin(phase)
      })
    }
  return { ...geometry, freqHz, pulses: PULSES, f }
}

function imageOf(history: PulseHistory) {
  const plan = planBackprojection(history, { plane: 'ground', window: 'hamming', acrossM: [-5, 5], alongM: [-5, 5] }) // prettier-ignore
  const compressed = compressPulses(freqHz, history.f, PULSES, plan.frequencyWeights, [0, PULSES], new Float64Array(2 * 256 * PULSES)) // prettier-ignore
  const image = new Float64Array(2 * plan.grid.rows * plan.grid.cols)
  backproject({ grid: plan.grid, geometry: history, weights: plan.pulseWeights, compressed, pulses: [0, PULSES] }, 0, image) // prettier-ignore
  const { plane, pulseWeights: weights, alongM, acrossM } = plan
  const psf = new PointSpread({ freqHz, thetaDeg: 45, phiDeg: new Float64Array(0), window: 'hamming', polarFormat: false, pulses: { ...history, weights, plane } }) // prettier-ignore
  return { image, psf, alongM, acrossM }
}

it.each([Infinity, 200])(
  'the point spread on the ground, seen from %f m, is what backprojection makes of a point',
  (distance) => {
    const [point] = POINTS
    const { image, psf, alongM, acrossM } = imageOf(historyOf(distance, [point]))
    const left = image.slice()
    psf.aim(point.y, point.x)
    psf.subtract(left, alongM, acrossM, [point.y, point.x], [Math.sqrt(4 * Math.PI), 0])
    const level = (of: Float64Array): number => of.reduce((most, v) => Math.max(most, Math.abs(v)), 0)
    // Range compression is good to 6.2e-4; wavefronts bend where they are near.
    expect(level(left) / level(image)).toBeLessThan(distance === Infinity ? 7e-4 : 0.05)
  },
)

it.each([Infinity, 200])('centres on the ground stand where the points do, seen from %f m', (distance) => {
  const { image, psf, alongM, acrossM } = imageOf(historyOf(distance))
  const { centres } = scatteringCentres({ image, rangeM: alongM, crossRangeM: acrossM }, psf, { count: 3, floorDb: 20 }) // prettier-ignore
  expect(centres).toHaveLength(3)
  centres.forEach(({ rangeM, crossRangeM, re, im }, i) => {
    const { x, y, a } = POINTS[i]
    expect(Math.hypot(crossRangeM - x, rangeM - y)).toBeLessThan(0.01)
    expect(Math.hypot(re, im) / Math.sqrt(4 * Math.PI) / a).toBeCloseTo(1, 1)
  })
})
