import { decode } from 'fast-png'
import { beforeAll, describe, expect, it } from 'vitest'
import { coloursOf } from '../../views/figures/axes.js'
import {
  dynamicRange,
  imageDbsm,
  imageSvg,
  svgToPng,
  imageTitle,
  type ImageFigure,
} from '../../views/figures/node.js'
import { ZOOM } from '../../views/figures/svg.js'
import { InputError } from '../../scene/index.js'
import { rows } from '../scene/shapes.js'

const ROWS = 81
const COLS = 121
const STEP = 0.1
const axis = (n: number) => Float64Array.from({ length: n }, (_, i) => (i - (n - 1) / 2) * STEP)

/** An image of zeros with amplitudes at some (range, cross-range) places [m]. */
function spots(places: [range: number, cross: number, amplitude: number][]): ImageFigure {
  const image = new Float64Array(2 * ROWS * COLS)
  for (const [range, cross, amplitude] of places) {
    const row = Math.round(range / STEP + (ROWS - 1) / 2)
    const col = Math.round(cross / STEP + (COLS - 1) / 2)
    // three by three pixels, so that smoothing leaves the middle as it is
    for (let i = row - 1; i <= row + 1; i++)
      for (let l = col - 1; l <= col + 1; l++) image[2 * (i * COLS + l)] = amplitude
  }
  return {
    image,
    rangeM: axis(ROWS),
    crossRangeM: axis(COLS),
    title: 'Two spots',
    subtitle: 'for the test',
    dynamicRangeDb: 50,
  }
}

const attribute = (tag: string, name: string): number =>
  Number(new RegExp(` ${name}="([-\\d.]+)"`).exec(tag)![1])
const imageTag = (svg: string): string => /<image [^>]*>/.exec(svg)![0]

/** Where a place of the image [m] falls in the PNG [px], by the position of the raster. */
function onPage(svg: string, range: number, cross: number): [number, number] {
  const tag = imageTag(svg)
  const scale = attribute(tag, 'width') / (COLS * STEP)
  return [
    ZOOM * (attribute(tag, 'x') + attribute(tag, 'width') / 2 + cross * scale),
    ZOOM * (attribute(tag, 'y') + attribute(tag, 'height') / 2 - range * scale),
  ]
}

async function pixels(figure: ImageFigure) {
  const { width, height, data, channels } = decode(await svgToPng(imageSvg(figure)))
  const at = (x: number, y: number): number[] =>
    Array.from(data.subarray(channels * (Math.floor(y) * width + Math.floor(x))).subarray(0, 3))
  return { width, height, at }
}

const closeTo = (a: number[], b: number[], within = 12): boolean =>
  a.every((v, i) => Math.abs(v - b[i]) <= within)

describe('imageSvg as PNG', () => {
  const figure = {
    ...spots([
      [2.5, 3.7, 2],
      [-1.5, -4.2, 0.1],
    ]),
    aspect: { thetaDeg: 80, phiDeg: 0 },
  }
  const table = Array.from({ length: 256 }, (_, i) =>
    Array.from(coloursOf('inferno').subarray(3 * i, 3 * i + 3)),
  )
  const svg = imageSvg(figure)
  let page: Awaited<ReturnType<typeof pixels>>
  beforeAll(async () => {
    page = await pixels(figure)
  })

  it('is 1000 px wide with one scale on both axes', () => {
    expect(page.width).toBe(1000)
    expect(page.height).toBeGreaterThan(600)
    const tag = imageTag(svg)
    expect(attribute(tag, 'width') / attribute(tag, 'height')).toBeCloseTo(COLS / ROWS, 3)
  })

  it('range runs upwards and cross-range to the right', () => {
    const [x, y] = onPage(svg, 2.5, 3.7)
    expect(closeTo(page.at(x, y), table[255])).toBe(true)
    // mirrored places are empty
    for (const [range, cross] of rows<[number, number]>('2.5 -3.7, -2.5 3.7, -2.5 -3.7'))
      expect(closeTo(page.at(...onPage(svg, range, cross)), table[0])).toBe(true)
    // the fainter spot, 26 dB down on a 50 dB scale
    const index = Math.floor(256 * (1 - 26.0206 / 50))
    expect(closeTo(page.at(...onPage(svg, -1.5, -4.2)), table[index])).toBe(true)
  })

  it('what lies below the dynamic range takes the lowest colour, and maxDbsm moves the scale', async () => {
    const narrow = await pixels({ ...figure, dynamicRangeDb: 20 })
    expect(closeTo(narrow.at(...onPage(svg, -1.5, -4.2)), table[0])).toBe(true)
    expect(closeTo(narrow.at(...onPage(svg, 2.5, 3.7)), table[255])).toBe(true)
    const raised = await pixels({ ...figure, maxDbsm: 10 * Math.log10(4) + 25 })
    expect(closeTo(raised.at(...onPage(svg, 2.5, 3.7)), table[128])).toBe(true)
  })

  it('has a colour bar from the highest to the lowest colour, in dBsm', () => {
    const bar = svg.match(/<image [^>]*>/g)![1]
    const x = ZOOM * (attribute(bar, 'x') + attribute(bar, 'width') / 2)
    const y = (f: number): number => ZOOM * (attribute(bar, 'y') + f * attribute(bar, 'height'))
    expect(closeTo(page.at(x, y(0.01)), table[253], 16)).toBe(true)
    expect(closeTo(page.at(x, y(0.5)), table[127], 16)).toBe(true)
    expect(closeTo(page.at(x, y(0.99)), table[2], 16)).toBe(true)
    for (const label of [
      'dBsm',
      '−40',
      '0',
      'Cross-range [m]',
      'Range, away from the radar [m]',
      'Two spots',
    ])
      expect(svg).toContain(`>${label}<`)
  })

  it('text is drawn: the font is found', () => {
    let ink = 0
    for (let y = 15; y < 40; y++) for (let x = 0; x < 400; x++) if (page.at(x, y)[0] < 80) ink++
    expect(ink).toBeGreaterThan(300)
  })

  it('the compass points where +x lies', () => {
    const tip = (phiDeg: number, thetaDeg = 90): [number, number] => {
      const drawn = imageSvg({ ...figure, aspect: { thetaDeg, phiDeg } })
      const circle = /<circle [^>]*>/.exec(drawn)![0]
      const [x, y] = /<polygon points="([-\d.]+),([-\d.]+)/.exec(drawn)!.slice(1).map(Number)
      // On a dial of radius 34.
      const scale = 30 / (attribute(circle, 'r') - 3)
      return [scale * (x - attribute(circle, 'cx')), scale * (attribute(circle, 'cy') - y)]
    }
    const close = ([a, b]: [number, number], [c, d]: [number, number]) => {
      expect(a).toBeCloseTo(c, 1)
      expect(b).toBeCloseTo(d, 1)
    }
    close(tip(0), [0, -30]) // nose to the radar: down
    close(tip(180), [0, 30])
    close(tip(90), [-30, 0]) // x-hat . phi-hat = -sin(phi)
    close(tip(60), [-30 * Math.sin(Math.PI / 3), -15])
    close(tip(0, 30), [0, -15]) // shortened by sin(theta)
    expect(imageSvg({ ...figure, aspect: { thetaDeg: 0, phiDeg: 0 } })).not.toContain('<polygon')
    expect(imageSvg({ ...figure, aspect: undefined })).not.toContain('<circle')
  })

  it('keeps the highest level of pixels that share one picture point', async () => {
    const rows = 2400
    const image = new Float64Array(2 * rows * 50)
    image[2 * (1201 * 50 + 25)] = 1
    const dense = {
      image,
      rangeM: Float64Array.from({ length: rows }, (_, i) => i * 0.01),
      crossRangeM: Float64Array.from({ length: 50 }, (_, i) => i * 0.4),
      title: 'dense',
    }
    const tag = imageTag(imageSvg(dense))
    const raster = decode(Buffer.from(/base64,([^"]+)/.exec(tag)![1], 'base64'))
    expect(raster.height).toBe(1200)
    const row = Array.from({ length: 1200 }, (_, i) => raster.data[3 * (i * 50 + 25)])
    expect(row.indexOf(Math.max(...row))).toBe(1199 - 600)
  })

  it('draws an image of zeros, and escapes the title', async () => {
    const empty = { ...spots([]), title: 'a <b> & "c"' }
    expect(imageSvg(empty)).toContain('a &lt;b&gt; &amp; &quot;c&quot;')
    const drawn = await pixels(empty)
    expect(closeTo(drawn.at(...onPage(imageSvg(empty), 2.5, 3.7)), table[0])).toBe(true)
  })

  it('draws the outline of the target at its place, behind rings', () => {
    const outline = {
      silhouette: Float64Array.of(-2, 1, 3, 2.5),
      edges: Float64Array.of(0, 0, 1, 0, 1, 0, 1, 1),
    }
    const drawn = imageSvg({ ...figure, outline, marks: [{ rangeM: 0, crossRangeM: 0 }] })
    const paths = [...drawn.matchAll(/<path d="([^"]*)" fill="none" stroke-linecap/g)]
    expect(paths).toHaveLength(3)
    expect(drawn.lastIndexOf('<path')).toBeLessThan(drawn.indexOf('<circle cx', drawn.indexOf('<clipPath')))
    const [x0, y0, x1, y1] = paths[2][1].match(/[\d.]+/g)!.map((v) => ZOOM * Number(v))
    expect([x0, y0]).toEqual(onPage(svg, 1, -2).map((v) => expect.closeTo(v, 1) as number))
    expect([x1, y1]).toEqual(onPage(svg, 2.5, 3).map((v) => expect.closeTo(v, 1) as number))
    // Two lines that meet are one.
    expect(paths[0][1].match(/M/g)).toHaveLength(1)
    expect(svg).not.toContain('stroke-linecap="round" stroke="#d6e4ea"')
  })

  it('refuses what it cannot draw', async () => {
    expect(() => imageSvg({ ...figure, dynamicRangeDb: 0 })).toThrow(/dynamic range 0 dB/)
    expect(() => imageSvg({ ...figure, rangeM: axis(5) })).toThrow(/do not fit axes of 5 x 121/)
    expect(() => imageSvg({ ...figure, image: figure.image.map((v, i) => (i === 4 ? NaN : v)) })).toThrow(
      InputError,
    )
  })
})

describe('imageDbsm', () => {
  it('is 10 log10 of the pixel power, -300 for nothing', () => {
    expect(Array.from(imageDbsm(Float64Array.of(3, 4, 0, 0, 0, 1)))).toEqual([10 * Math.log10(25), -300, 0])
  })
})

describe('dynamicRange', () => {
  /** An image of as many pixels as counts say, each so far below the first [dB]. */
  const image = (...counts: [level: number, pixels: number][]): Float64Array =>
    Float64Array.from(counts.flatMap(([level, n]) => Array.from({ length: n }, () => [10 ** (-level / 20), 0]).flat())) // prettier-ignore

  it('shows a third of the pixels, in steps of 5 dB', () => {
    expect(dynamicRange([image([0, 1], [43, 33], [90, 66])])).toBe(45)
    expect(dynamicRange([image([0, 1], [37.4, 33], [90, 66])])).toBe(40)
    expect(dynamicRange([image([0, 1], [31, 15], [42, 18], [90, 66])])).toBe(40)
  })

  it('is from 25 to 60 dB, the largest of several images, and of nothing 50', () => {
    const [flat, spot] = [image([0, 50], [3, 50]), image([0, 1], [120, 99])]
    expect(dynamicRange([flat])).toBe(25)
    expect(dynamicRange([spot])).toBe(60)
    expect(dynamicRange([flat, image([0, 40], [90, 60]), image([0, 1], [33, 99])])).toBe(35)
    expect(dynamicRange([new Float64Array(20)])).toBe(50)
    expect(dynamicRange([flat, new Float64Array(20)])).toBe(25)
  })

  it('is what a figure without a range of its own has, and its colour bar says', () => {
    const { dynamicRangeDb: _, ...figure } = spots([[0, 0, 1]])
    void _
    expect(imageSvg(figure)).toContain('>60 dB<')
    expect(imageSvg({ ...figure, dynamicRangeDb: 30 })).toContain('>30 dB<')
  })
})

describe('imageTitle', () => {
  it('names target, channel, aspect, band, aperture, resolution and window', () => {
    expect(
      imageTitle({
        name: 'aircraft',
        channel: 'vv',
        thetaDeg: 80,
        phiDeg: -12.5,
        f0: 9.25e9,
        f1: 10.75e9,
        apertureDeg: 8.72695,
        rangeResolutionM: 0.09993,
        crossRangeResolutionM: 0.2,
        window: 'hamming',
      }),
    ).toEqual({
      title: 'aircraft, VV',
      subtitle:
        'θ = 80°, φ = −12.5°  ·  9.25–10.75 GHz  ·  aperture 8.73°  ·  resolution 0.1 × 0.2 m  ·  hamming window',
    })
  })
})
