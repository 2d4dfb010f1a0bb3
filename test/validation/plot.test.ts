import { describe, expect, it } from 'vitest'
import type { Definition, Panel } from '../../src/validate/definition.js'
import { caseFigure } from '../../src/validate/report.js'

const panel = (title: string, x: number[], y: number[]): Panel => ({
  title,
  xTitle: 'θ [deg]',
  angular: true,
  series: [{ name: 'SBR', x, y }],
})
const draw = (panels: Panel[]): string =>
  caseFigure({ title: 'A case' } as Definition, { rows: [], panels, device: '' })!
/** Labels of the axes that look like levels. */
const labels = (svg: string): number[] =>
  [...svg.matchAll(/>([−\d.]+)<\/text>/g)].map((m) => Number(m[1].replace('−', '-')))
const degrees = Array.from({ length: 91 }, (_, i) => i)

describe('figure of a case', () => {
  it('has one scale for both channels', async () => {
    const high = degrees.map((d) => 30 - d / 10)
    const low = degrees.map((d) => -5 - d / 10)
    const count = (svg: string, level: number): number => labels(svg).filter((l) => l === level).length
    const svg = draw([panel('VV', degrees, high), panel('HH', degrees, low)])
    for (const level of [-10, 20]) expect(count(svg, level)).toBe(2)
  })

  it('leaves differences their own scales', async () => {
    const svg = draw([panel('plate', [3, 6], [0, 0.04]), panel('dihedral', [3, 6], [0, 0.7])])
    expect(labels(svg).filter((l) => l === 0.7)).toHaveLength(1)
  })

  it('goes deeper where most of a curve would be cut off', async () => {
    const deep = degrees.map((d) => (d < 45 ? 0 : -75))
    expect(Math.min(...labels(draw([panel('VV', degrees, deep)])))).toBe(-80)
    const null1 = degrees.map((d) => (d === 45 ? -75 : 0))
    expect(Math.min(...labels(draw([panel('VV', degrees, null1)])))).toBe(-60)
  })

  it('draws a reference in the order of its angles', async () => {
    const y = degrees.map((d) => d / 3)
    const apart = draw([panel('VV', [50, ...degrees.filter((d) => d !== 50)], [y[50], ...y.filter((_, d) => d !== 50)])]) // prettier-ignore
    const path = (svg: string): string => / points="([^"]{500,})"/.exec(svg)![1]
    expect(path(apart)).toBe(path(draw([panel('VV', degrees, y)])))
  })
})
