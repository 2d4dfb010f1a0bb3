import { describe, expect, it } from 'vitest'
import { direction } from '../../../scene/index.js'
import { PAPER } from '../../../views/figures/index.js'
import {
  anglesOf,
  emptySweep,
  fillSweep,
  Trace,
  wrapPhi,
  liveView,
} from '../../../views/viewer/live/sweep.js'
import { rows } from '../../scene/shapes.js'

/** A field whose VV amplitude is `vv` [m]. */
const fieldOf = (vv: number): Float64Array => Float64Array.of(vv, 0, 0, 0, 0, 0, 0, 0)

describe('angles of a view', () => {
  it.each(rows<[number, number]>('0 0, 75 35, 63.43 359.99, 120.25 180, 180 90'))(
    'come back from the direction of θ %d, φ %d',
    (theta, phi) => {
      const [t, p] = anglesOf(direction(theta, phi).r)
      expect(t).toBeCloseTo(theta, 10)
      if (theta % 180 !== 0) expect(p).toBeCloseTo(phi, 10)
    },
  )

  it('are those shown: azimuths from 0 up to 360, to a hundredth', () => {
    expect([-30, 360, 725.004, 359.999, -0.001].map(wrapPhi)).toEqual([330, 0, 5, 0, 0])
  })
})

describe('the trace of what was turned through', () => {
  it('keeps the last result of a quarter of a degree, sorted, near an elevation', () => {
    const trace = new Trace()
    trace.add([75, 90], fieldOf(1))
    trace.add([75, 20], fieldOf(2))
    trace.add([75, 90.1], fieldOf(3))
    trace.add([80, 40], fieldOf(4))
    expect(trace.near(75.3).map(({ angles, field }) => [angles[1], field[0]])).toEqual([
      [20, 2],
      [90.1, 3],
    ])
    expect(trace.near(79.6)).toHaveLength(1)
    trace.clear()
    expect(trace.near(75)).toEqual([])
  })
})

describe('a sweep', () => {
  const solver = (seconds: number, sizes: number[] = []) => ({
    solve: (_freqHz: number, _thetaDeg: number, phiDeg: number[]) => {
      sizes.push(phiDeg.length)
      const fields = new Float64Array(8 * phiDeg.length)
      phiDeg.forEach((phi, i) => (fields[8 * i] = phi))
      return Promise.resolve({ fields, seconds })
    },
  })

  it('runs over the whole circle, both ends, and takes a step that divides it', () => {
    expect(emptySweep(1e9, 90, 1).phiDeg).toEqual(Array.from({ length: 361 }, (_, i) => i))
    expect(emptySweep(1e9, 90, 7).phiDeg).toHaveLength(52)
    expect(emptySweep(1e9, 90, 7).phiDeg.at(-1)).toBe(360)
  })

  it('gives every direction its own field, in batches that grow while they are quick', async () => {
    const sizes: number[] = []
    const sweep = emptySweep(1e9, 90, 1)
    await fillSweep(solver(0.001, sizes), sweep, () => true)
    expect(sweep.fields.map((f) => f[0])).toEqual(sweep.phiDeg)
    expect(sizes.slice(0, 8)).toEqual([1, 2, 4, 8, 16, 32, 64, 64])
    const slow: number[] = []
    await fillSweep(solver(1, slow), emptySweep(1e9, 90, 30), () => true)
    expect(new Set(slow)).toEqual(new Set([1]))
  })

  it('stops when told to', async () => {
    const sweep = emptySweep(1e9, 90, 1)
    await fillSweep(solver(1), sweep, () => sweep.fields.length < 5)
    expect(sweep.fields).toHaveLength(5)
  })
})

describe('the live figure', () => {
  const data = {
    name: 'cube',
    freqHz: 10e9,
    channel: 'vv' as const,
    raysPerWavelength: 10,
    trace: new Trace(),
    polar: false,
  }
  const angles: [number, number] = [75, 350]

  it('has nothing to show before the first result', () => {
    expect(liveView({ ...data, now: null, sweep: null })).toBeNull()
  })

  it.each([false, true])('holds cut, trace and where the target stands (polar: %s)', async (polar) => {
    const sweep = emptySweep(10e9, 75, 30)
    await fillSweep(
      {
        solve: () =>
          Promise.resolve({
            fields: Float64Array.of(1 / Math.sqrt(4 * Math.PI), 0, 0, 0, 0, 0, 0, 0),
            seconds: 1,
          }),
      },
      sweep,
      () => true,
    )
    const trace = new Trace()
    trace.add(angles, fieldOf(0.1))
    const view = liveView({ ...data, trace, now: { angles, field: fieldOf(0.1) }, sweep, polar })!
    // sigma = 4 pi |F|^2 = 1 m^2.
    expect(Array.from(view.curves![0].y, (y) => Math.abs(y) < 1e-9)).toEqual(
      Array.from({ length: 13 }, () => true),
    )
    expect(view.curves![1].y[0]).toBeCloseTo(10 * Math.log10(0.04 * Math.PI), 9)
    const { markup } = view.draw(700, 440, PAPER, () => '')
    expect(markup).toContain('cut at θ 75.00°')
    expect(markup).toContain('>now<')
    // Two sets of dots, both paths of points.
    expect(markup.match(/d="M[\d.,]+h0"/g)).toHaveLength(2)
    expect(markup).toContain('RCS [dBsm]')
  })
})
