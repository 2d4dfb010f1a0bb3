import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { inflateSync } from 'node:zlib'
import { decode } from 'fast-png'
import { describe, expect, it } from 'vitest'
import { claimLocation, filesAt, folderLocation } from '../../run/results.js'
import { InputError } from '../../scene/index.js'
import { writeFigure } from '../../src/write-figure.js'
import { type Axes, frame, PAPER, tickLabels, ticks } from '../../views/figures/axes.js'
import type { ImageGridData } from '../../views/figures/data.js'
import { labelOverlay, rings } from '../../views/figures/map-figure.js'
import { lineFigure, polarFigure } from '../../views/figures/line-figure.js'
import { encodeFigure, linePlot, type LinePlot, svgToPng } from '../../views/figures/node.js'
import { opaquePng } from '../../views/figures/svg.js'
import { random } from '../helpers/random.js'
import { scratchFolder } from '../helpers/scratch.js'

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

const axis = Float64Array.of(0, 1, 2, 3)
const axes = { left: 0, top: 0, width: 40, height: 40, x: [-0.5, 3.5], y: [-0.5, 3.5] } as const
const overlay = (labels: ImageGridData['labels'], mask = true): string[] =>
  labelOverlay(
    { labels, rangeM: axis, crossRangeM: axis } as unknown as ImageGridData,
    { mask, centres: true },
    -40,
  )({ ...axes, x: [...axes.x], y: [...axes.y] })

it('the outline of the shadow goes around pixels that less than half of the aperture lights', () => {
  // A block of two by one pixels in shadow, one of them in part, and one that is lit by more.
  const lit = new Uint8Array(16).fill(255)
  lit[5] = 0
  lit[6] = 127
  lit[9] = 128
  const [path, ...others] = overlay({ lit })
  expect(others).toEqual([])
  // Six sides of a pixel.
  expect(path.match(/M/g)).toHaveLength(6)
  expect(path).toContain('M10 30H20')
  expect(overlay({ lit }, false)).toEqual([])
})

it('the outline of the target is drawn beside it, its lit part dashed', () => {
  const mask = new Uint8Array(16)
  mask.set([1, 2], 5)
  const paths = overlay({ lit: new Uint8Array(16).fill(255), mask })
  expect(paths.map((path) => path.match(/M/g)?.length ?? 0)).toEqual([0, 6, 4])
  expect(paths.map((path) => path.includes('dasharray'))).toEqual([false, false, true])
})

it('numbers of rings cover no ring and no other number, and are left out where there is no room', () => {
  const place = { left: 0, top: 0, width: 400, height: 300, x: [0, 400], y: [0, 300] } as const
  const drawn = (points: { x: number; y: number }[]) =>
    rings(points, { ...place, x: [...place.x], y: [...place.y] }).join('')
  const boxes = (svg: string) => ({
    circles: [...svg.matchAll(/cx="([\d.]+)" cy="([\d.]+)" r="([\d.]+)"/g)].map(([, x, y, r]) => [x, y, r, r].map(Number)), // prettier-ignore
    numbers: [...svg.matchAll(/<text x="([\d.]+)" y="([\d.]+)"[^>]*>(\d+)</g)].map(([, x, y, n]) => [Number(x), Number(y) - 3.5, 3.4 * n.length, 5]), // prettier-ignore
  })
  const apart = ([x, y, w, h]: number[], [a, b, v, i]: number[]): boolean =>
    Math.abs(x - a) >= w + v - 0.02 || Math.abs(y - b) >= h + i - 0.02
  // A row closer than the rings are wide, and one at the frame's corner.
  const row = Array.from({ length: 9 }, (_, i) => ({ x: 100 + 7 * i, y: 150 + (i % 2) }))
  const { circles, numbers } = boxes(drawn([...row, { x: 399, y: 299 }]))
  expect(numbers.length).toBeGreaterThan(7)
  for (const [i, number] of numbers.entries()) {
    for (const circle of circles) expect(apart(number, circle)).toBe(true)
    for (const other of numbers.slice(0, i)) expect(apart(number, other)).toBe(true)
    expect(number[0] + number[2]).toBeLessThanOrEqual(400)
  }
  // A hundred rings that fill the frame leave no room.
  const full = Array.from({ length: 100 }, (_, i) => ({
    x: 5 + 10 * (i % 10),
    y: 5 + 10 * Math.floor(i / 10),
  }))
  const small = rings(full, { left: 0, top: 0, width: 100, height: 100, x: [0, 100], y: [0, 100] })
  expect(boxes(small.join('')).numbers).toEqual([])
})

describe('opaquePng', () => {
  it('keeps red, green and blue of every pixel, whatever filters its rows have', async () => {
    const [width, height] = [37, 21]
    const uniform = random(5)
    // Noise, a row above repeated, a pixel before repeated, and a slope in both directions.
    const pixels = new Uint8Array(4 * width * height)
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++)
        for (let c = 0; c < 4; c++) {
          const at = 4 * (y * width + x) + c
          const kind = y % 4
          pixels[at] =
            kind === 1
              ? pixels[at - 4 * width]
              : kind === 2
                ? 40 * c
                : kind === 3
                  ? 9 * x + 17 * y
                  : 256 * uniform()
        }
    const read = decode(await opaquePng(pixels, width))
    expect(read).toMatchObject({ width, height, channels: 3, depth: 8 })
    expect(Array.from(read.data)).toEqual(Array.from(pixels.filter((_, i) => i % 4 < 3)))
  })

  it('has rows of a slope in a hundredth of their bytes', async () => {
    const width = 400
    const pixels = Uint8Array.from({ length: 4 * width * width }, (_, i) => (i >> 2) % width + Math.floor(i / 4 / width)) // prettier-ignore
    expect((await opaquePng(pixels, width)).length).toBeLessThan((3 * width * width) / 100)
  })
})

const folder = scratchFolder()

it('a place that has figures as PDF has one beside each PNG, claimed as the other files are', async () => {
  const place = { ...folderLocation(folder), pdf: true }
  const names = ['plot.svg', 'plot.png', 'meta.json']
  expect(filesAt(place, names)).toEqual(['plot.svg', 'plot.png', 'plot.pdf', 'meta.json'])
  expect(filesAt(folderLocation(folder), names)).toEqual(names)
  const plot = linePlot({
    title: 't',
    xTitle: 'x',
    yTitle: 'y',
    series: [{ name: 'a', x: [0, 1], y: [0, 1] }],
  })
  await writeFigure(place, 'plot', plot)
  const start = (ending: string): string => readFileSync(join(folder, `plot.${ending}`), 'latin1').slice(0, 5)
  expect(['svg', 'png', 'pdf'].map(start)).toEqual(['<svg ', '\x89PNG\r', '%PDF-'])
  for (const ending of ['svg', 'png']) rmSync(join(folder, `plot.${ending}`))
  const claim = (pdf: boolean) => claimLocation({ ...place, pdf }, names, { resume: false, force: false })
  expect(() => claim(true)).toThrow(/plot\.pdf exists; give --force/)
  expect(() => claim(false)).not.toThrow()
  await writeFigure(folderLocation(folder), 'picture', plot, ['png'])
  expect(['svg', 'png', 'pdf'].map((ending) => existsSync(join(folder, `picture.${ending}`)))).toEqual([false, true, false]) // prettier-ignore
})

it('letters with a halo are filled over it in a PDF', async () => {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="90" height="30"><text x="9" y="20" fill="#3ad1ff" stroke="#000" stroke-width="2.4" paint-order="stroke">7</text></svg>`
  const pdf = Buffer.from((await encodeFigure(svg, 'pdf', 't')) as Uint8Array).toString('latin1')
  const modes = [...pdf.matchAll(/stream\r?\n([\s\S]*?)\r?\nendstream/g)].flatMap(([, data]) => {
    try {
      const stream = inflateSync(Buffer.from(data, 'latin1')).toString('latin1')
      return [...stream.matchAll(/\b(\d) Tr\b/g)].map(([, mode]) => mode)
    } catch {
      return []
    }
  })
  // Filled and stroked, then filled.
  expect(modes).toEqual(['2', '0'])
})

it('a title wider than its figure goes to several lines, all inside of the figure', () => {
  const title = 'A rather long title for a small figure of fifty millimetres'
  const curves = [{ name: 'a', x: [0, 1], y: [0, 1] }]
  const spec = { title, subtitle: 's', xTitle: 'x', yTitle: 'y', curves, low: 0, high: 1 }
  const ofLine = lineFigure(spec, 189, 300, PAPER).markup
  const ofPolar = polarFigure(spec, 189, 300, PAPER).markup
  for (const markup of [ofLine, ofPolar]) {
    const lines = [...markup.matchAll(/<text x="([\d.]+)"[^>]*font-size="15"[^>]*>([^<]*)</g)]
    expect(lines.map(([, , words]) => words).join(' ')).toBe(title)
    expect(lines.length).toBeGreaterThan(2)
    for (const [, x, words] of lines) expect(Number(x) + 7 * words.length).toBeLessThan(189)
  }
})
