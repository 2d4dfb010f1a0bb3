import { describe, expect, it } from 'vitest'
import { type BackprojectionPlan, planBackprojection, polarFormat } from '../../isar/index.js'
import { circularPass, pointPulses } from '../../samples/models/gotcha.js'
import type { Vec3 } from '../../scene/index.js'
import { backprojectAll } from '../helpers/pulses.js'
import { linspace } from './points.js'
import { rows } from '../scene/shapes.js'

/** Spacing of the pixels [m]: six to a resolution cell. */
const PIXEL = 0.05
/** Pixels about a point to either side. */
const HALF = 24

/** The rows and columns about a place, with their image. */
function about(plan: BackprojectionPlan, x: number, y: number) {
  const col = Math.round((x - plan.acrossM[0]) / PIXEL) - HALF
  const row = Math.round((y - plan.alongM[0]) / PIXEL) - HALF
  const { grid } = plan
  const size = 2 * HALF + 1
  const first = grid.first.map((f, i) => f + row * grid.along[i] + col * grid.across[i]) as Vec3
  return { row, col, size, plan: { ...plan, grid: { ...grid, first, rows: size, cols: size } } }
}

/** Peak [dB] and 3 dB widths along and across [pixels], between pixels by a parabola and by straight lines of levels. */
function pointOf(image: Float64Array, size: number) {
  const level = Float64Array.from({ length: size * size }, (_, i) => 20 * Math.log10(Math.hypot(image[2 * i], image[2 * i + 1]))) // prettier-ignore
  const best = level.reduce((b, v, i) => (v > level[b] ? i : b), 0)
  let peak = level[best]
  const widths = [size, 1].map((stride) => {
    const [before, after] = [level[best - stride], level[best + stride]]
    const curve = before - 2 * level[best] + after
    const top = level[best] - (before - after) ** 2 / (8 * curve)
    peak += top - level[best]
    const reach = (way: number): number => {
      let k = 0
      while (level[best + way * (k + 1) * stride] > top - 3) k++
      const [inside, outside] = [level[best + way * k * stride], level[best + way * (k + 1) * stride]]
      return k + (inside - (top - 3)) / (inside - outside)
    }
    return reach(1) + reach(-1)
  })
  return { peak, widths }
}

describe('polar format of a scene of 100 m, 10 km from the radar', () => {
  const pass = circularPass({ pulses: 420, spanDeg: 3.6, startDeg: 20, elevationDeg: 45, rangeM: 10_159 })
  const places: [number, number][] = rows('0 0, 48 48, -48 48, 48 -47, -20 -48')
  const history = pointPulses(pass, linspace(9.288e9, 9.911e9, 424), places.map(([x, y]) => ({ at: [x, y, 0], re: 1 }))) // prettier-ignore

  it.each(['ground', 'slant'] as const)(
    '%s plane: 3 dB widths within 3 %% and peaks within 0.2 dB of backprojection',
    (plane) => {
      const plan = planBackprojection(history, { plane, window: 'taylor', acrossM: [-52, 52], alongM: [-52, 52], pixelM: PIXEL }) // prettier-ignore
      const { image, notes } = polarFormat(history, plan)
      expect(notes).toEqual([])
      const seen = places.filter(([x, y]) => plane === 'ground' || Math.hypot(x, y) < 60)
      for (const [x, y] of seen) {
        const { across, along } = plan.plane
        // On the slant plane points of the ground stand where their range and cross-range are.
        const p: Vec3 = [x, y, 0]
        const [u, v] = [across, along].map((axis) => axis[0] * p[0] + axis[1] * p[1] + axis[2] * p[2])
        const { row, col, size, plan: part } = about(plan, u, v)
        const cut = new Float64Array(2 * size * size)
        for (let i = 0; i < size; i++) cut.set(image.subarray(2 * ((row + i) * plan.grid.cols + col), 2 * ((row + i) * plan.grid.cols + col + size)), 2 * size * i) // prettier-ignore
        const [polar, exact] = [pointOf(cut, size), pointOf(backprojectAll(history, part), size)]
        expect(Math.abs(polar.peak - exact.peak)).toBeLessThan(0.2)
        for (const k of [0, 1]) expect(Math.abs(polar.widths[k] / exact.widths[k] - 1)).toBeLessThan(0.03)
      }
    },
  )

  it('close to the radar says what curved wavefronts leave', () => {
    const near = circularPass({ pulses: 64, spanDeg: 12, elevationDeg: 45, rangeM: 60 })
    const seen = pointPulses(near, linspace(9.3e9, 9.9e9, 64), [{ at: [0, 0, 0], re: 1 }])
    const plan = planBackprojection(seen, { plane: 'ground', window: 'taylor', acrossM: [-20, 20], alongM: [-20, 20], pixelM: 0.2 }) // prettier-ignore
    expect(polarFormat(seen, plan).notes).toEqual([
      expect.stringMatching(
        /^polar format: curved wavefronts leave phases of up to \d+(\.\d)? rad at the corners/,
      ),
    ])
  })
})
