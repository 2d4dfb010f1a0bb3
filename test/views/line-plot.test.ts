import { decode } from 'fast-png'
import { describe, expect, it } from 'vitest'
import { linePlot, type LinePlot, svgToPng } from '../../views/figures/node.js'
import { InputError } from '../../scene/index.js'

const x = Float64Array.from({ length: 181 }, (_, i) => i)
const y = x.map((a) => 10 * Math.cos((a * Math.PI) / 90))
const base: LinePlot = {
  title: 'A cut',
  xTitle: 'φ [degrees]',
  yTitle: 'RCS [dBsm]',
  series: [{ name: 'one', x, y }],
}

/** Axis labels of the SVG, as numbers. */
const numbers = (svg: string): number[] =>
  [...svg.matchAll(/>([−\d.]+)<\/text>/g)].map((m) => Number(m[1].replace('−', '-')))

describe('linePlot', () => {
  it('draws several series with a legend, as SVG and as PNG of about 1000 px', async () => {
    const svg = linePlot({
      ...base,
      subtitle: '10 GHz, VV',
      angular: true,
      series: [
        { name: 'ours', x, y },
        { name: 'without edges', x, y: y.map((v) => v - 3), style: 'dashed' },
        { name: 'reference', x: [0, 90], y: [10, -10], style: 'points' },
      ],
    })
    for (const text of [
      'A cut',
      '10 GHz, VV',
      'φ [degrees]',
      'RCS [dBsm]',
      'ours',
      'without edges',
      'reference',
    ])
      expect(svg.split(`>${text}<`)).toHaveLength(2) // each once
    expect(numbers(svg)).toEqual(expect.arrayContaining([0, 15, 30, 180])) // angle ticks
    const image = decode(await svgToPng(svg))
    expect(image.width).toBeGreaterThan(900)
    expect(image.width).toBeLessThan(1100)
    const count = (r: number, g: number, b: number): number => {
      let n = 0
      for (let i = 0; i < image.data.length; i += image.channels)
        if (image.data[i] === r && image.data[i + 1] === g && image.data[i + 2] === b) n++
      return n
    }
    const solid = count(0x00, 0x72, 0xb2)
    const dashed = count(0xd5, 0x5e, 0x00)
    expect(dashed).toBeGreaterThan(100)
    expect(solid).toBeGreaterThan(1.2 * dashed)
    expect(count(255, 255, 255)).toBeGreaterThan(image.width * image.height * 0.8)
  })

  it('a null of -300 does not set the scale', async () => {
    const nulled = y.map((v, i) => (i === 20 ? -300 : v))
    const shown = numbers(linePlot({ ...base, series: [{ name: 'one', x, y: nulled }] }))
    expect(Math.min(...shown)).toBeLessThanOrEqual(-60)
    expect(Math.min(...shown)).toBeGreaterThanOrEqual(-75)
    const fixed = numbers(linePlot({ ...base, yRange: [-20, 20] }))
    expect(Math.min(...fixed)).toBe(-20)
  })

  it('draws curves over points, and marks a curve of few points', async () => {
    const points = { name: 'reference', x, y, style: 'points' as const }
    const svg = linePlot({ ...base, series: [{ name: 'ours', x, y }, points] })
    expect(svg.indexOf('stroke="#d55e00"')).toBeGreaterThan(0)
    expect(svg.indexOf('stroke="#0072b2"')).toBeGreaterThan(svg.indexOf('stroke="#d55e00"'))
    const lone = linePlot({ ...base, series: [{ name: 'one', x: [33], y: [0.02] }] })
    const marked = (text: string): number => text.split(/fill="#0072b2"/).length - 1
    expect(marked(lone)).toBe(1)
    expect(marked(linePlot(base))).toBe(0)
  })

  it('leads no line to samples at which there is nothing', async () => {
    const lines = async (levels: number[]): Promise<number> =>
      linePlot({ ...base, series: [{ name: 'one', x: [0, 1, 2, 3, 4], y: levels }] }).split('<polyline').length - 1 // prettier-ignore
    expect(await lines([0, 1, 2, 3, 4])).toBe(1)
    expect(await lines([0, 1, -300, 3, 4])).toBe(2)
    expect(await lines([-300, 1, 2, 3, -300])).toBe(1)
  })

  it('has no legend for a single series', async () => {
    expect(linePlot(base)).not.toContain('>one<')
  })

  it.each<[string, LinePlot['series'], RegExp]>([
    ['nothing', [], /no series/],
    ['an empty series', [{ name: 'e', x: [], y: [] }], /'e': 0 x values/],
    ['unequal lengths', [{ name: 'u', x: [1, 2], y: [1] }], /2 x values for 1 y/],
    ['NaN', [{ name: 'n', x: [1, 2], y: [1, NaN] }], /point 1 is \(2, NaN\)/],
  ])('refuses %s', async (_, series, message) => {
    expect(() => linePlot({ ...base, series })).toThrow(message)
    expect(() => linePlot({ ...base, series })).toThrow(InputError)
  })
})
