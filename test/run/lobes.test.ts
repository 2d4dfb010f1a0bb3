import { expect, it } from 'vitest'
import { C0, direction } from '../../scene/index.js'
import { coarseWarning, isCoarse, lobesOf, resolvingStep } from '../../run/lobes.js'

/** Corners of a plate of 2 m x 1 m on the ground. */
const plate = [-1, -0.5, 0, 1, -0.5, 0, 1, 0.5, 0, -1, 0.5, 0]
const degrees = (rad: number): number => (rad * 180) / Math.PI
const band = (f0: number, df = 0, n = 1) => ({ f0, df, n })
const monostatic = (thetas: number[], phis: number[]) =>
  thetas.flatMap((t) => phis.map((p) => direction(t, p))).map((d) => ({ tx: d, rx: d }))
const range = (first: number, last: number, step: number): number[] =>
  Array.from({ length: Math.round((last - first) / step) + 1 }, (_, i) => first + i * step)

it('lobes of backscatter are λ/2D wide, D being the width along which the radar moves', () => {
  // Towards +x at broadside: 2 m; at the highest frequency.
  const [theta, ...others] = lobesOf(plate, { aspects: monostatic(range(-10, 10, 1), [0]), bands: [band(C0 / 0.1), band(C0 / 0.03)] }) // prettier-ignore
  expect(theta).toMatchObject({ name: 'theta', step: expect.closeTo(1, 9) as number, values: 21 })
  expect(theta.lobe).toBeCloseTo(degrees(0.03 / (2 * 2)), 9)
  expect(others.map(({ name }) => name)).toEqual(['frequency'])
})

it('lobes in φ are wider away from the horizon, where a turn moves the radar less', () => {
  const at = (theta: number) => lobesOf(plate, { aspects: monostatic([theta], range(0, 180, 1)), bands: [band(C0 / 0.03)] })[0] // prettier-ignore
  // The widest: the diagonal.
  expect(at(90).lobe).toBeCloseTo(degrees(0.03 / (2 * Math.hypot(2, 1))), 4)
  expect(at(30).lobe).toBeCloseTo(2 * at(90).lobe, 9)
})

it('lobes over frequency are c/2L wide, L being the depth', () => {
  const [axis] = lobesOf(plate, { aspects: monostatic([90], [0]), bands: [band(1e9, 1e7, 101)] })
  expect(axis).toMatchObject({ name: 'frequency', values: 101 })
  expect(axis.lobe).toBeCloseTo(C0 / (2 * 2), 3)
  expect(axis.step).toBeCloseTo(1e7, 0)
})

it('a receiver that moves alone meets lobes of λ/D', () => {
  const tx = direction(0, 0)
  const aspects = range(-10, 10, 1).map((theta) => ({ tx, rx: direction(theta, 0) }))
  const [axis, ...others] = lobesOf(plate, { aspects, bands: [band(C0 / 0.03)] })
  expect([axis.name, others.length]).toEqual(['rx-theta', 0])
  expect(axis.lobe).toBeCloseTo(degrees(0.03 / 2), 9)
})

it('warns of steps that hide lobes of a curve, and not of a few directions', () => {
  const cut = (step: number, last: number) => lobesOf(plate, { aspects: monostatic(range(0, last, step), [0]), bands: [band(C0 / 0.03)] })[0] // prettier-ignore
  // Lobes of .43°.
  expect(isCoarse(cut(0.5, 10), 'curve')).toBe(true)
  expect(isCoarse(cut(0.2, 10), 'curve')).toBe(false)
  expect(isCoarse(cut(5, 10), 'curve')).toBe(false)
  // An image needs the amplitudes' own step alone.
  expect([isCoarse(cut(0.4, 10), 'curve'), isCoarse(cut(0.4, 10), 'image')]).toEqual([true, false])
  expect(resolvingStep(cut(0.5, 10), 'curve')).toBeCloseTo(cut(0.5, 10).lobe / 3, 12)
  expect(coarseWarning(cut(0.5, 10), 'curve')).toBe('a step of 0.5° in θ hides lobes, which are 0.43° wide: 0.14° shows them') // prettier-ignore
})
