import { describe, expect, it } from 'vitest'
import { type Axes, frame, PAPER, tickLabels, ticks } from '../../views/figures/axes.js'

describe('ticks', () => {
  it.each<[number, number, number, number[]]>([
    [0, 10, 5, [0, 2, 4, 6, 8, 10]],
    [-7.3, 8.1, 8, [-6, -4, -2, 0, 2, 4, 6, 8]],
    [-35.6, 14.4, 10, [-35, -30, -25, -20, -15, -10, -5, 0, 5, 10]],
    [0.11, 0.34, 5, [0.15, 0.2, 0.25, 0.3]],
  ])('%d to %d, about %d', (low, high, count, expected) => {
    const values = ticks(low, high, count)
    expect(values).toHaveLength(expected.length)
    values.forEach((v, i) => expect(v).toBeCloseTo(expected[i], 12))
  })

  it('labels have the decimals of the spacing and a true minus sign', () => {
    expect(tickLabels([-0.1, -1e-17, 0.1])).toEqual(['−0.1', '0.0', '0.1'])
    expect(tickLabels([-5, 0, 5])).toEqual(['−5', '0', '5'])
    expect(tickLabels([0.15, 0.2])).toEqual(['0.15', '0.20'])
  })
})

describe('the title of the vertical axis', () => {
  it.each([
    [240, 'Range, away from the radar [m]'],
    [163, 'Range [m]'],
  ])('of an axis of %d pixels is %s: a longer one would run into the lines above', (height, title) => {
    const axes: Axes = { left: 60, top: 50, width: 300, height, x: [0, 1], y: [0, 1] }
    const parts = frame(axes, 'x', 'Range, away from the radar [m]', PAPER)
    expect(parts.at(-1)).toContain(`>${title}<`)
  })
})
