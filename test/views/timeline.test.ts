import { decode } from 'fast-png'
import { describe, expect, it } from 'vitest'
import { stackedCounts, svgToPng, timelineSvg, type Timeline } from '../../views/figures/node.js' // prettier-ignore
import { stack } from '../../views/figures/timeline.js'
import { InputError } from '../../scene/index.js'

interface Box {
  x: number
  y: number
  width: number
  height: number
}

/** Rectangles of one colour. */
const boxes = (svg: string, colour: string): Box[] =>
  [...svg.matchAll(/<rect x="([-\d.]+)" y="([-\d.]+)" width="([-\d.]+)" height="([-\d.]+)" fill="([^"]+)"/g)]
    .filter((m) => m[5] === colour && Number(m[3]) !== 14) // 14: the legend's
    .map((m) => ({ x: Number(m[1]), y: Number(m[2]), width: Number(m[3]), height: Number(m[4]) }))

const [FIRST, SECOND, WAITING] = ['#0072b2', '#e69f00', '#d5dae0']

const bar = (lane: string, step: string, start: number, end: number) => ({
  lane,
  start,
  end,
  pieces: [{ step, start, end }],
})

const base: Timeline = {
  title: 'A run',
  lanes: ['GPU', 'CPU'],
  steps: ['tracing', 'diffraction'],
  bars: [
    bar('GPU', 'tracing', 10.0, 10.03),
    bar('GPU', 'tracing', 10.03, 10.05),
    bar('CPU', 'diffraction', 10.01, 10.03),
  ],
  from: 10,
  length: 0.1,
}

describe('timeline', () => {
  it('draws bars at their times, one scale for all', () => {
    const svg = timelineSvg(base)
    const gpu = boxes(svg, FIRST)
    const [cpu] = boxes(svg, SECOND)
    expect(gpu).toHaveLength(2)
    expect(gpu[0].width / gpu[1].width).toBeCloseTo(1.5, 2)
    expect(gpu[1].x).toBeCloseTo(gpu[0].x + gpu[0].width, 1)
    expect(cpu.x - gpu[0].x).toBeCloseTo(gpu[0].width / 3, 1)
    expect(cpu.width).toBeCloseTo(gpu[1].width, 1)
    expect(gpu[0].y).toBe(gpu[1].y)
    expect(cpu.y).toBeGreaterThan(gpu[0].y + gpu[0].height)
  })

  it('counts the time axis in ms from its left end', () => {
    const labels = [...timelineSvg(base).matchAll(/text-anchor="middle">(\d+)</g)].map((m) => Number(m[1]))
    expect(labels).toEqual([0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100])
  })

  it('cuts bars at the ends of the axis and leaves out those beyond', () => {
    const svg = timelineSvg({
      ...base,
      bars: [
        bar('GPU', 'tracing', 9, 10.01),
        bar('GPU', 'tracing', 10.09, 11),
        bar('CPU', 'diffraction', 8, 9),
      ],
    })
    const [left, right] = boxes(svg, FIRST)
    expect(left.width).toBeCloseTo(right.width, 1)
    expect(boxes(svg, SECOND)).toHaveLength(0)
  })

  it('puts bars that overlap below each other, and shows their waiting', () => {
    const onTheWay = (start: number, end: number) => ({
      lane: 'GPU',
      start,
      end,
      pieces: [{ step: 'tracing', start: (start + end) / 2, end }],
      label: 'φ 1°',
    })
    const svg = timelineSvg({
      ...base,
      bars: [onTheWay(10, 10.04), onTheWay(10.02, 10.06), onTheWay(10.04, 10.08)],
    })
    const busy = boxes(svg, FIRST)
    const whole = boxes(svg, WAITING)
    expect(new Set(busy.map((b) => b.y)).size).toBe(2)
    expect(busy[0].y).toBe(whole[0].y)
    expect(whole[0].width).toBeCloseTo(2 * busy[0].width, 1)
    expect(svg.split('>φ 1°<')).toHaveLength(4)
    expect(svg).toContain('>in flight<')
    expect(timelineSvg(base)).not.toContain('>in flight<')
  })

  it('marks moments and names lanes and steps', async () => {
    const svg = timelineSvg({
      ...base,
      subtitle: 'θ = 80°',
      marks: [
        { at: 10.02, label: 'φ 2°' },
        { at: 12, label: 'φ 3°' },
      ],
    })
    for (const name of ['A run', 'θ = 80°', 'GPU', 'CPU', 'tracing', 'diffraction', 'φ 2°', 'Time [ms]'])
      expect(svg.split(`>${name}<`)).toHaveLength(2)
    expect(svg).not.toContain('φ 3°')
    const image = decode(await svgToPng(svg))
    expect(image.width).toBe(1000)
    let blue = 0
    for (let i = 0; i < image.data.length; i += image.channels)
      if (image.data[i] === 0 && image.data[i + 1] === 0x72 && image.data[i + 2] === 0xb2) blue++
    // Half of a row of about 890 x 28 px.
    expect(blue).toBeGreaterThan(0.4 * 890 * 28)
    expect(blue).toBeLessThan(0.55 * 890 * 28)
  })

  it.each<[string, Partial<Timeline>, RegExp]>([
    ['an empty axis', { length: 0 }, /0 s cannot be drawn/],
    ['an unknown lane', { lanes: ['GPU'] }, /no lane is called 'CPU'/],
    ['an unknown step', { steps: ['tracing'] }, /no step is called 'diffraction'/],
  ])('refuses %s', (_, change, message) => {
    expect(() => timelineSvg({ ...base, ...change })).toThrow(message)
    expect(() => timelineSvg({ ...base, ...change })).toThrow(InputError)
  })
})

describe('rows of a lane', () => {
  it('are as many as bars overlap, whatever their order', () => {
    const spans = [
      { start: 3, end: 5 },
      { start: 0, end: 2 },
      { start: 1, end: 3 },
      { start: 2, end: 4 },
    ]
    expect(stack(spans).map((r) => r.map((s) => s.start))).toEqual([
      [0, 2],
      [1, 3],
    ])
    expect(stack([])).toEqual([])
  })
})

describe('stacked counts', () => {
  const figure = {
    title: 'Edges',
    xTitle: 'φ [deg]',
    yTitle: 'Edges',
    x: [0, 1, 2],
    panels: [
      { name: 'static', columns: [[10, 30], [10, 30], [10, 30]] }, // prettier-ignore
      { name: 'dynamic', columns: [[10, 30], [20, 20], [40]] }, // prettier-ignore
    ],
    partName: 'sub-grid',
  }
  /** Corners of the areas, as [x, y] lists. */
  const areas = (svg: string): [number, number][][] =>
    [...svg.matchAll(/<polygon points="([^"]+)"/g)].map((m) =>
      m[1].split(' ').map((p) => p.split(',').map(Number) as [number, number]),
    )

  it('are areas as high as the counts', () => {
    const [low, high, , dynamicHigh] = areas(stackedCounts(figure))
    // Upper side from the left: two corners a column; then the lower side back.
    const heightOf = (area: [number, number][], column: number): number =>
      area[area.length - 1 - 2 * column][1] - area[2 * column][1]
    expect(heightOf(high, 0) / heightOf(low, 0)).toBeCloseTo(3, 2)
    expect(heightOf(dynamicHigh, 1) / heightOf(low, 0)).toBeCloseTo(2, 2)
    expect(heightOf(dynamicHigh, 2)).toBe(0)
    expect(low[2][0] - low[0][0]).toBeCloseTo(low[4][0] - low[2][0], 1)
  })

  it('are drawn with their names', async () => {
    const svg = stackedCounts(figure)
    for (const name of ['Edges', 'static', 'dynamic', 'sub-grid 1', 'sub-grid 2', 'φ [deg]'])
      expect(svg).toContain(`>${name}<`)
    expect(decode(await svgToPng(svg)).width).toBe(1000)
  })

  it('refuse columns without a position', () => {
    expect(() => stackedCounts({ ...figure, x: [0, 1] })).toThrow(/3 columns for 2 positions/)
  })
})

it('labels of marks that lie close together do not cover each other: the longest stretch keeps its own', () => {
  const marks = [0, 1, 2, 3, 60].map((ms) => ({ at: ms / 1000, label: `mark ${ms}` }))
  const svg = timelineSvg({ title: 't', lanes: ['a'], steps: [], bars: [], marks, from: 0, length: 0.1 })
  expect([...svg.matchAll(/>mark (\d+)</g)].map((m) => m[1])).toEqual(['3', '60'])
  expect(svg.match(/stroke-dasharray/g)).toHaveLength(5)
})
