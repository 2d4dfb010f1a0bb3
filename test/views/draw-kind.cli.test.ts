import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { decode } from 'fast-png'
import { describe, expect, it } from 'vitest'
import { vector, writeNpz } from '../../formats/index.js'
import { rangeProfile } from '../../isar/index.js'
import { C0, InputError } from '../../scene/index.js'
import {
  besideOf,
  chosenOf,
  drawKind,
  type HistoryData,
  PAPER,
  type Painter,
  type PlotData,
  plotKinds,
  viewOf,
  windowTo,
} from '../../views/figures/index.js'
import { openResult, openResults } from '../../views/server/open-result.js'
import { isar, temporaryFolder } from '../cli/cli.js'
import { expectRefusal } from '../cli/refusal.js'

const paint: Painter = (pixels, columns) => `data:,${pixels.length / 4 / columns}x${columns}`

/** One point scatterer of 1 m^2, 2 m behind the phase centre at phi 0, over frequency and azimuth. */
function point(freqHz: number[], phiDeg: number[], thetaDeg = phiDeg.map(() => 90)): PlotData {
  const data = new Float64Array(2 * freqHz.length * phiDeg.length)
  freqHz.forEach((f, n) =>
    phiDeg.forEach((phi, a) => {
      const range = 2 * Math.cos((phi * Math.PI) / 180)
      const phase = (-4 * Math.PI * f * range) / C0
      const at = 2 * (n * phiDeg.length + a)
      data[at] = Math.cos(phase) / Math.sqrt(4 * Math.PI)
      data[at + 1] = Math.sin(phase) / Math.sqrt(4 * Math.PI)
    }),
  )
  const history: HistoryData = {
    freqHz: Float64Array.from(freqHz),
    thetaDeg: Float64Array.from(thetaDeg),
    phiDeg: Float64Array.from(phiDeg),
    bistatic: false,
    layers: [{ name: 'vv', title: 'VV', data }],
  }
  return { name: 'point', place: 'point.csv', history }
}

const band = Array.from({ length: 21 }, (_, i) => 1e9 + 2e7 * i)
const turn = Array.from({ length: 13 }, (_, i) => 30 * i)
const settings = {
  layer: 'vv',
  depth: 50,
  top: null,
  colours: 'inferno',
  compare: 'own',
  polar: false,
  slider: 0,
} as const
const request = { layer: 'vv', width: 800, height: 500 }

describe('curves on the page', () => {
  it('end below at their lowest value, and where the range does', () => {
    const bottom = (result: PlotData, depth: number): number =>
      viewOf(result, null, 'cut', { ...settings, depth, fit: true }).draw(600, 400, PAPER, paint).axes!.y[0]
    const level = point([1e9], turn)
    level.history!.layers[0].data.forEach((x, i, all) => (all[i] = (i >> 1 === 6 ? 0.07 : 0.9) * x))
    expect(bottom(level, 50)).toBe(-25)
    expect(bottom(level, 20)).toBe(-20)
  })

  it('follow the track of a target whose two angles both change', () => {
    const track = point([1e9], [0, 1, 2, 3], [90, 91, 92, 93])
    const { curves } = viewOf(track, null, 'cut', settings)
    expect(curves!.map(({ x }) => Array.from(x))).toEqual([[0, 1, 2, 3]])
    expect(chosenOf(track, { ...request, kind: 'cut' })).toBeNull()
  })
})

describe('figures of a result', () => {
  it('say what of many they show, and draw each of many curves in a colour of its own', () => {
    const grid = [10, 20, 30, 40, 50, 60, 70, 80].flatMap((theta) => [0, 30, 60].map((phi) => [theta, phi]))
    const many = point([1e9, 1.1e9, 1.2e9], grid.map(([, phi]) => phi), grid.map(([theta]) => theta)) // prettier-ignore
    const cut = { ...request, kind: 'cut' } as const
    expect(chosenOf(many, cut)).toBe(
      '1.1 GHz, one of 3 frequencies (--freq takes others); θ = 10°, 20°, 30°, 40°, 50°, 60°, 6 of 8 cuts (--theta takes one)',
    )
    expect(chosenOf(many, { ...cut, freqHz: 1e9, thetaDeg: 70 })).toMatch(/^1 GHz.*; θ = 70°, 1 of 8 cuts/)
    expect(chosenOf(point(band, turn), { ...request, kind: 'profile' })).toMatch(
      /^φ = 180.00°, one of 13 aspects \(--theta and --phi take another\)$/,
    )
    expect(chosenOf(point([1e9], turn), cut)).toBe(null)
    // Two results: twelve curves.
    const { markup } = drawKind(many, { ...many, place: 'other.csv' }, cut, paint)
    const colours = [...markup.matchAll(/<polyline[^>]* stroke="(#\w+)"/g)].map((match) => match[1])
    expect(colours).toHaveLength(12)
    expect(new Set(colours).size).toBe(12)
    const one = drawKind(many, null, { ...cut, thetaDeg: 70 }, paint).markup
    expect(one.match(/<polyline/g)).toHaveLength(1)
    expect(one).toContain('θ = 70.0°')
  })

  it('draw channels and frequencies together, told apart by colour and dash', () => {
    const both = point([1e9, 1.1e9], turn)
    const { layers } = both.history!
    layers.push({ name: 'hh', title: 'HH', data: layers[0].data.map((x) => x / 2) })
    // Reciprocal: one curve stands for both.
    for (const [name, title] of [['vh', 'VH'], ['hv', 'HV']]) layers.push({ name, title, data: layers[0].data.map((x) => x / 4) }) // prettier-ignore
    const drawn = (more: object): { colour: string; dash?: string }[] =>
      [...drawKind(both, null, { ...request, kind: 'cut', ...more }, paint).markup.matchAll(/<polyline[^>]*>/g)].map(([line]) => ({ colour: / stroke="(#\w+)"/.exec(line)![1], dash: /stroke-dasharray="([^"]+)"/.exec(line)?.[1] })) // prettier-ignore
    const channels = drawn({ layers: ['vv', 'hh'] })
    expect(new Set(channels.map((c) => c.colour)).size).toBe(2)
    expect(new Set(channels.map((c) => c.dash)).size).toBe(2)
    expect(channels[0].dash).toBeUndefined()
    // Of both at once the colour tells the frequency and the dash the channel.
    const four = drawn({ layers: ['vv', 'hh'], freqsHz: [1e9, 1.1e9] })
    expect(four).toHaveLength(4)
    expect(four[0].colour).toBe(four[2].colour)
    expect(four[0].dash).toBe(four[1].dash)
    expect(new Set(four.map(({ colour, dash }) => `${colour} ${dash}`)).size).toBe(4)
    const { markup } = drawKind(both, null, { ...request, kind: 'cut', layers: ['vh', 'hv'] }, paint)
    expect(markup).toContain('>VH = HV<')
    expect(markup.match(/<polyline/g)).toHaveLength(1)
  })

  it('take titles, names of curves and limits as asked', () => {
    const draw = (more: object): string => drawKind(point(band, turn), null, { ...request, kind: 'cut', ...more }, paint).markup // prettier-ignore
    expect(draw({ title: 'A sphere' })).toMatch(/>A sphere<.*1.2 GHz/s)
    // What the caption says: no lines above the frame, and more room for it.
    const bare = draw({ title: '' })
    expect(bare).not.toMatch(/>point, VV<|1.2 GHz/)
    const frameTop = (markup: string): number => Number(/<clipPath[^>]*><rect x="[\d.]+" y="([\d.]+)"/.exec(markup)![1]) // prettier-ignore
    expect(frameTop(bare)).toBeLessThan(20)
    expect(draw({ names: ['measured'] })).toContain('>measured<')
    expect(() => draw({ names: ['a', 'b'] })).toThrow('--names: 2 names for 1 curves; give one for each')
    const limited = draw({ xlim: [60, 120], ylim: [-10, 10] })
    for (const tick of ['60°', '120°', '−10', '10']) expect(limited).toContain(`>${tick.replace('°', '')}<`)
    expect(limited).not.toContain('>180<')
    const map = draw({ kind: 'waterfall', xlim: [60, 120], ylim: [-1, 1] })
    expect(map).not.toContain('>180<')
    expect(() => draw({ kind: 'waterfall', names: ['a'] })).toThrow('is a map')
    expect(() => draw({ kind: 'polar', xlim: [0, 90] })).toThrow('--ylim sets its levels')
    expect(() => draw({ log: true })).toThrow('not drawn over distance')
  })

  it('are those that there is data for', () => {
    expect(plotKinds(point(band, turn))).toEqual(['profile', 'waterfall', 'frequency-aspect', 'cut', 'polar'])
    expect(plotKinds(point([1e9], turn))).toEqual(['cut', 'polar'])
    expect(plotKinds(point(band, [0]))).toEqual(['profile', 'cut'])
    // Uneven axes make no map, and no range profile.
    expect(plotKinds(point([1e9, 1.1e9, 1.3e9], turn))).toEqual(['cut', 'polar'])
    expect(plotKinds(point(band, [0, 10, 30]))).toEqual(['profile', 'cut', 'polar'])
    const thetas = [60, 60, 60, 90, 90, 90]
    expect(plotKinds(point([1e9], [0, 10, 20, 0, 10, 20], thetas))).toEqual(['aspect-map', 'cut', 'polar'])
    expect(() => drawKind(point([1e9], turn), null, { ...request, kind: 'waterfall' }, paint)).toThrow(
      InputError,
    )
    expect(() => drawKind(point(band, turn), null, { ...request, kind: 'cut', layer: 'hh' }, paint)).toThrow(
      'has vv',
    )
  })

  it('have the point at its range in the profile and over aspect', () => {
    const result = point(band, turn)
    const { curves } = viewOf(result, null, 'profile', settings)
    const { profile, rangeM } = rangeProfile(result.history!.freqHz, Float64Array.from(band.flatMap((_, n) => [...result.history!.layers[0].data.subarray(2 * 13 * n, 2 * 13 * n + 2)])), { count: 8 * 20 }) // prettier-ignore
    expect(Array.from(curves![0].x)).toEqual(Array.from(rangeM))
    const peak = Array.from(curves![0].y).reduce((best, v, i, all) => (v > all[best] ? i : best), 0)
    expect(rangeM[peak]).toBeCloseTo(2, 1)
    expect(curves![0].y[peak]).toBeCloseTo(
      10 * Math.log10(profile[2 * peak] ** 2 + profile[2 * peak + 1] ** 2),
      4,
    )
    // Between samples of eight to a cell a point is seen lower by 0.04 dB at most.
    expect(Math.abs(curves![0].y[peak] + 0.02)).toBeLessThan(0.021)
    // Seen from behind it lies in front.
    const { grid } = viewOf(result, null, 'sinogram', settings)
    const column = (c: number): number => {
      let best = 0
      for (let r = 1; r < grid!.y.length; r++)
        if (grid!.levels[r * 13 + c] > grid!.levels[best * 13 + c]) best = r
      return grid!.y[best]
    }
    expect(column(6)).toBeCloseTo(-2, 1)
    expect(column(3)).toBeCloseTo(0, 1)
  })

  it('draw range profiles over aspect smoothly, and tables as the cells that they are', () => {
    const sizes = (kind: 'waterfall' | 'frequency-aspect'): string[] => {
      const seen: string[] = []
      drawKind(point(band, turn), null, { ...request, kind }, (pixels, columns) => {
        seen.push(`${columns}x${pixels.length / 4 / columns}`)
        return 'data:,'
      })
      return seen
    }
    // 13 aspects x 8 samples to each of 20 cells: the picture's renderer interpolates.
    expect(sizes('waterfall')[0]).toBe('13x160')
    expect(sizes('frequency-aspect')[0]).not.toBe('13x21')
  })

  it('zoom into a table’s map with no more pixels than are seen, each of the cell that it is in', () => {
    const table = point(band, turn)
    // Aspects 90 and 120 deg alone are seen, half a cell of either: the latter is 20 dB lower.
    table.history!.layers[0].data.forEach((v, i, all) => (all[i] = (i >> 1) % 13 === 4 ? v / 10 : v))
    const seen: { pixels: Uint8Array | Uint8ClampedArray; columns: number }[] = []
    const draw = (xlim: [number, number]) =>
      drawKind(table, null, { ...request, kind: 'frequency-aspect', xlim }, (pixels, columns) => {
        seen.push({ pixels, columns })
        return 'data:,'
      })
    const { axes, markup } = draw([90, 120])
    const [{ pixels, columns }] = seen
    expect(pixels.length / 4).toBeLessThan(2 * axes!.width * axes!.height)
    const at = (c: number): number[] => Array.from(pixels.subarray(4 * c, 4 * c + 3))
    const half = columns / 2
    expect(at(Math.floor(half) - 1)).toEqual(at(0))
    expect(at(Math.ceil(half) + 1)).toEqual(at(columns - 1))
    expect(at(0)).not.toEqual(at(columns - 1))
    expect(Number(/<image x="([\d.]+)"/.exec(markup)![1])).toBeCloseTo(axes!.left, 1)
    draw([10, 10.001])
    expect(seen.every(({ pixels: p }) => p.length / 4 < 1e6)).toBe(true)
    // Beside the map there is nothing but the colour bar.
    expect([draw([0, 10]), draw([1000, 1010])].map((f) => f.markup.match(/<image/g)!.length)).toEqual([2, 1])
  })

  it('have angles, a mark of the nose and levels beside the circle in polar', () => {
    const one = point([1e9], turn)
    const { markup } = drawKind(one, null, { ...request, kind: 'polar', top: 0 }, paint)
    for (let deg = 30; deg < 360; deg += 30) expect(markup).toContain(`>${deg}°<`)
    expect(markup).toContain('>0° nose<')
    expect(drawKind(point([1e9], turn.map(() => 0), turn), null, { ...request, kind: 'polar' }, paint).markup).toContain('>0° +z<') // prettier-ignore
    // Twelve of the aspects close as thirteen do; half of them stay open.
    const ends = (angles: number[]): string[] => {
      const drawing = drawKind(point([1e9], angles), null, { ...request, kind: 'polar' }, paint).markup
      const points = /<polyline[^>]* points="([^"]+)"/.exec(drawing)![1].split(' ')
      return [points[0], points.at(-1)!]
    }
    expect(new Set(ends(turn.slice(0, 12))).size).toBe(1)
    expect(new Set(ends(turn.slice(0, 7))).size).toBe(2)
    // Levels stand left of the circle: on its rings they would lie over lobes.
    const circle = [...markup.matchAll(/<circle cx="([\d.]+)" cy="([\d.]+)" r="([\d.]+)"/g)].at(-1)!.slice(1).map(Number) // prettier-ignore
    const level = /<text x="([\d.]+)" y="([\d.]+)" text-anchor="end">−20</.exec(markup)!.slice(1).map(Number)
    expect(level[0]).toBeLessThan(circle[0] - circle[2] - 40)
    // The scale of 50 dB ends at 0 dBsm.
    expect(level[1] - 4).toBeCloseTo(circle[1] - (30 / 50) * circle[2], 1)
  })

  it('show every level of a point as its RCS', () => {
    for (const tab of ['cut', 'history'] as const) {
      const { curves, grid } = viewOf(point(band, turn), null, tab, settings)
      for (const level of curves ? Array.from(curves[0].y) : grid!.levels) expect(level).toBeCloseTo(0, 4)
    }
  })

  it('draw maps with both axes ascending, whatever the order of the table', () => {
    const down = point(band, turn.toReversed())
    const { grid } = viewOf(down, null, 'sinogram', settings)
    const up = viewOf(point(band, turn), null, 'sinogram', settings).grid!
    expect(Array.from(grid!.x)).toEqual(turn)
    expect(Array.from(grid!.levels)).toEqual(Array.from(up.levels))
  })

  it('are taken at the frequency asked for', () => {
    const svg = (freqHz: number): string =>
      drawKind(point(band, turn), null, { ...request, kind: 'polar', freqHz }, paint).markup
    expect(svg(1.1e9)).toContain('1.1 GHz')
    expect(svg(1.4e9)).toContain('1.4 GHz')
    expect(() => svg(3e9)).toThrow('--freq 3 GHz: the nearest in the data is 1.4 GHz, of 1 GHz to 1.4 GHz')
  })

  it('refuse a frequency or an angle that the data do not have, with the nearest', () => {
    const draw = (result: PlotData, other: PlotData | null, more: object): string => drawKind(result, other, { ...request, kind: 'cut', ...more }, paint).markup // prettier-ignore
    const three = point([1e9, 3e9, 5e9], turn)
    expect(() => draw(three, null, { freqHz: 2e9 })).toThrow(
      /^--freq 2 GHz: the nearest .* is 1 GHz.*; give that$/,
    )
    // As printed, to six digits.
    expect(draw(point([1.00000123e9], turn), null, { freqHz: 1e9 })).toContain('1 GHz')
    const profile = { kind: 'profile' }
    expect(() => draw(point(band, turn), null, { ...profile, phiDeg: 31 })).toThrow('--phi 31°: the nearest in the data is 30°') // prettier-ignore
    expect(() => draw(point(band, [0, 10], [80, 90]), null, { ...profile, phiDeg: 10, thetaDeg: 80 })).toThrow('not both') // prettier-ignore
    const grid = [10, 20].flatMap((theta) => [0, 30, 60].map((phi) => [theta, phi]))
    const cuts = point([1e9], grid.map(([, phi]) => phi), grid.map(([theta]) => theta)) // prettier-ignore
    expect(() => draw(cuts, null, { thetaDeg: 12 })).toThrow('--theta 12°: the nearest in the data is 10°')
  })

  it('draw a second result where it has the same frequency, aspect and channel alone', () => {
    const draw = (other: PlotData, more: object = {}): string => drawKind(point([1e9, 3e9, 5e9], turn), other, { ...request, kind: 'cut', ...more }, paint).markup // prettier-ignore
    const other = (freqHz: number[]): PlotData => ({ ...point(freqHz, turn), place: 'other.csv' })
    expect(draw(other([3e9, 4e9])).match(/<polyline/g)).toHaveLength(2)
    expect(() => draw(other([1e9, 4e9]))).toThrow('--freq 3 GHz: the nearest in other.csv is 4 GHz')
    const hh = other([3e9])
    hh.history!.layers[0].name = 'hh'
    expect(() => draw(hh)).toThrow('--pol vv: other.csv has hh')
  })
})

describe('receivers of a propagation result', () => {
  /** A line of three receivers, and a grid of 3 x 2; the transfer of receiver r is 10^-r. */
  const result: PlotData = {
    name: 'street',
    place: 'street-propagate',
    coverage: {
      inside: new Uint32Array(0),
      freqHz: Float64Array.of(1e9),
      positionM: Float64Array.from([
        0, 0, 1, 3, 4, 1, 3, 4, 3, 0, 0, 2, 5, 0, 2, 10, 0, 2, 0, 6, 2, 5, 6, 2, 10, 6, 2,
      ]),
      sets: [
        { name: 'line', first: 0, count: 3 },
        { name: 'grid', first: 3, count: 6 },
      ],
      layers: [
        {
          name: 'vv',
          title: 'VV',
          data: Float64Array.from({ length: 18 }, (_, i) => (i % 2 ? 0 : 10 ** (-i / 2))),
        },
      ],
    },
  }

  it('are curves over the way along them, or maps', () => {
    expect(plotKinds(result)).toEqual(['coverage'])
    const line = viewOf(result, null, 'set-0', settings)
    expect(Array.from(line.curves![0].x)).toEqual([0, 5, 7])
    expect(Array.from(line.curves![0].y)).toEqual([0, -20, -40])
    const { grid, unit } = viewOf(result, null, 'set-1', settings)
    expect(unit).toBe('dB')
    expect([Array.from(grid!.x), Array.from(grid!.y)]).toEqual([
      [0, 5, 10],
      [0, 6],
    ])
    expect(Array.from(grid!.levels)).toEqual([-60, -80, -100, -120, -140, -160])
    const { markup } = drawKind(result, null, { ...request, kind: 'coverage', set: 1 }, paint)
    expect(markup).toContain('street, grid, VV')
    expect(markup).not.toMatch(/>no path<|>building</)
    expect(markup).not.toContain('>Tx<')
    const coverage = {
      ...result.coverage!,
      inside: Uint32Array.of(4),
      transmitterM: [5, 3, 10] as [number, number, number],
    }
    const data = coverage.layers[0].data.map((v, i) => (i >= 8 && i < 12 ? 0 : v))
    const silent = { ...result, coverage: { ...coverage, layers: [{ name: 'vv', title: 'VV', data }] } }
    // Receivers 4, in a building, and 5 of no path.
    const pixels: number[][] = []
    const kept: Painter = (rgba, columns) => {
      const row = Math.floor((0.75 * rgba.length) / 4 / columns)
      // The second and the third receiver of the lower row; a colour bar has one column.
      for (const part of columns > 1 ? [1.5 / 3, 2.5 / 3] : []) {
        const at = 4 * (row * columns + Math.floor(part * columns))
        pixels.push(Array.from(rgba.subarray(at, at + 3)))
      }
      return paint(rgba, columns)
    }
    const grey = drawKind(silent, null, { ...request, kind: 'coverage', set: 1 }, kept).markup
    expect(grey).toMatch(/>no path<.*>building</s)
    expect(grey).toContain('>Tx<')
    expect(pixels).toEqual([[0x8d, 0x97, 0xa3], [0xdf, 0xe3, 0xe8]]) // prettier-ignore
  })
})

describe('curves of receivers on a logarithmic axis', () => {
  const line = (positionM: number[]): PlotData => ({
    name: 'road',
    place: 'road-propagate',
    coverage: {
      inside: new Uint32Array(0),
      freqHz: Float64Array.of(1e9),
      positionM: Float64Array.from(positionM),
      sets: [{ name: 'line', first: 0, count: positionM.length / 3 }],
      transmitterM: [0, 0, 3],
      layers: [{ name: 'vv', title: 'VV', data: Float64Array.from({ length: (2 * positionM.length) / 3 }, (_, i) => (i % 2 ? 0 : 0.1)) }], // prettier-ignore
    },
  })

  it('stand at their distance from the transmitter, and are no line where that goes to and fro', () => {
    const away = viewOf(line([4, 0, 0, 40, 0, 3, 0, 400, 3]), null, 'set-0', { ...settings, log: true })
    expect(Array.from(away.curves![0].x)).toEqual([5, 40, 400])
    const { markup, axes } = away.draw(800, 500, PAPER, paint)
    expect(axes!.log).toBe(true)
    for (const label of ['10', '100']) expect(markup).toContain(`>${label}<`)
    // A decade is as long as the next.
    const x = (label: string): number => Number(new RegExp(`<text x="([\\d.]+)"[^>]*>${label}<`).exec(markup)![1]) // prettier-ignore
    const decade = (axes!.width * Math.log(10)) / Math.log(400 / 5)
    expect(x('100') - x('10')).toBeCloseTo(decade, 1)
    // Between two named ticks there are plain ones.
    const near = viewOf(line([61, 0, 3, 65, 0, 3, 69, 0, 3]), null, 'set-0', { ...settings, log: true })
    const short = near.draw(800, 500, PAPER, paint)
    for (const label of ['62', '64', '66', '68']) expect(short.markup).toContain(`>${label}<`)
    expect(short.axes!.log).toBe(true)
    const passing = viewOf(line([-40, 0, 3, 5, 0, 3, 40, 0, 3]), null, 'set-0', { ...settings, log: true })
    expect(passing.curves![0].dots).toBeGreaterThan(0)
    expect(away.curves![0].dots).toBeUndefined()
    // Dots have no dashes: of two channels at two frequencies every curve has a colour of its own.
    const four = line([-40, 0, 3, 5, 0, 3, 40, 0, 3])
    const { coverage } = four
    const data = Float64Array.from([...coverage!.layers[0].data, ...coverage!.layers[0].data])
    Object.assign(coverage!, { freqHz: Float64Array.of(1e9, 2e9), layers: ['vv', 'hh'].map((name) => ({ name, title: name, data })) }) // prettier-ignore
    const dots = drawKind(four, null, { ...request, kind: 'coverage', layers: ['vv', 'hh'], freqsHz: [1e9, 2e9], log: true }, paint).markup // prettier-ignore
    expect(new Set([...dots.matchAll(/<circle [^>]*fill="(#\w+)"/g)].map((m) => m[1])).size).toBe(4)
  })

  it('show a second result at the same frequency, or not at all', () => {
    /** Path gains of -10 dB for each GHz. */
    const at = (place: string, ghz: number[], positionM = [4, 0, 0, 40, 0, 3]): PlotData => {
      const { coverage } = line(positionM)
      const data = Float64Array.from(ghz.flatMap((f) => Array.from({ length: (2 * positionM.length) / 3 }, (_, i) => (i % 2 ? 0 : 10 ** (-f / 2))))) // prettier-ignore
      return { name: place, place, coverage: { ...coverage!, freqHz: Float64Array.from(ghz, (f) => 1e9 * f), layers: [{ name: 'vv', title: 'VV', data }] } } // prettier-ignore
    }
    const levels = (other: PlotData) => viewOf(at('a', [1, 2]), other, 'set-0', { ...settings, slider: 1 }).curves!.map(({ y }) => y[0]) // prettier-ignore
    expect(levels(at('b', [2, 3]))).toEqual([-20, -20])
    expect(levels(at('b', [1, 3]))).toEqual([-20])
    const hh = at('b', [2])
    hh.coverage!.layers[0].name = 'hh'
    expect(levels(hh)).toEqual([-20])
    const draw = (other: PlotData, freqsHz: number[]) => drawKind(at('a', [1, 2]), other, { ...request, kind: 'coverage', freqHz: freqsHz[0], freqsHz }, paint) // prettier-ignore
    expect(() => draw(at('b', [1, 3]), [2e9])).toThrow('--freq 2 GHz: the nearest in b is')
    expect(() => draw(at('b', [1, 3]), [1e9, 2e9])).toThrow('--freq 2 GHz')
    const square = [0, 0, 1, 5, 0, 1, 0, 5, 1, 5, 5, 1]
    const difference = (other: number[]) => viewOf(at('a', [1, 2], square), at('b', other, square), 'set-0', { ...settings, compare: 'difference' }).grid!.levels[0] // prettier-ignore
    expect(difference([3, 1])).toBe(0)
    // Without the frequency the map is drawn alone.
    expect(difference([2])).toBe(-10)
    // Beside each other results show the same frequency, or the nearest, of the receivers of that name.
    const b = at('b', [0.9, 2, 5])
    b.coverage!.sets.unshift({ name: 'other', first: 0, count: 1 })
    expect(besideOf(at('a', [1, 2]), b, 'set-0', 1)).toEqual({ tab: 'set-1', slider: 1 })
    expect(besideOf(at('a', [4, 1]), b, 'set-0', 0)).toEqual({ tab: 'set-1', slider: 2 })
  })

  it('have limits as asked, of a lone receiver too', () => {
    const one = drawKind(line([4, 0, 0]), null, { ...request, kind: 'coverage', xlim: [-1, 2], ylim: [-40, 0] }, paint) // prettier-ignore
    expect([one.axes!.y, one.axes!.x[0] < 0]).toEqual([[-40, 0], true])
  })
})

describe('a spectrogram', () => {
  const timeS = Float64Array.from({ length: 101 }, (_, i) => i / 100)
  const motion = { timeS, dopplerHz: Float64Array.of(-1, 0, 1), layers: [{ name: 'vv', title: 'VV', spectrogram: new Float32Array(303) }] } // prettier-ignore
  const drone: PlotData = { name: 'drone', place: 'drone-doppler', motion: { ...motion, turnS: 0.05 } }
  const spectrogram = { ...request, kind: 'spectrogram' } as const

  it('shows two turns of its slowest part first, and all where nothing turns or --xlim says so', () => {
    const ends = (result: PlotData, more: object = {}): number[] => {
      const { axes } = drawKind(result, null, { ...spectrogram, ...more }, paint)
      return axes!.x.map((t) => Number(t.toFixed(6)))
    }
    expect(ends(drone)).toEqual([0.45, 0.55])
    expect(ends(drone, { timeS: 0 })).toEqual([-0.005, 0.095])
    expect(ends({ ...drone, motion })).toEqual([-0.005, 1.005])
    expect(ends(drone, { xlim: [0, 0.3] })).toEqual([0, 0.3])
    expect(chosenOf(drone, spectrogram)).toContain('0.45 to 0.55 s')
    // Played on, the view follows by whole views, and stays inside the data.
    const from = { x: [0.45, 0.55] as [number, number], y: [-1, 1] as [number, number] }
    for (const [time, next] of [[0.5, 0.45], [0.56, 0.55], [0.44, 0.35], [1, 0.9]]) expect(windowTo(from, drone.motion!, time).x[0]).toBeCloseTo(next, 9) // prettier-ignore
    expect(() => ends(drone, { timeS: 2 })).toThrow('--time 2: the data are of 0 to 1 s')
  })
})

describe('isar plot', () => {
  it('writes one PDF with its fonts, sized as printed, a PNG of 300 points to the inch and SVG without fonts', async () => {
    const folder = temporaryFolder()
    const at = (name: string): string => join(folder, name)
    writeFileSync(at('rcs.csv'), `freq_hz,theta_deg,phi_deg,f_vv_re,f_vv_im,f_hh_re,f_hh_im\n${[0, 10, 20, 30].map((phi) => `1e9,90,${phi},1,0,0,${1 + phi}`).join('\n')}\n`) // prettier-ignore
    const plot = (...args: string[]): ReturnType<typeof isar> => isar(['plot', at('rcs.csv'), '--pol', 'vv,hh', ...args]) // prettier-ignore
    expect((await plot('--size', '88mm', '--out', at('two.pdf'))).code).toBe(0)
    const pdf = readFileSync(at('two.pdf'), 'latin1')
    expect(pdf.startsWith('%PDF-1.')).toBe(true)
    // Cut and polar, a page each; 88 mm are 249.45 points.
    expect([...pdf.matchAll(/\/MediaBox \[0 0 ([\d.]+)/g)].map((m) => Number(m[1]).toFixed(1))).toEqual(['249.4', '249.4']) // prettier-ignore
    expect(pdf).toContain('/FontFile2')
    expect(pdf).toMatch(/\/FontName \/[A-Z]+\+Inter/)
    expect((await plot('--size', '88mm', '--out', at('again/two.pdf'))).code).toBe(0)
    expect(readFileSync(at('again/two.pdf'), 'latin1') === pdf).toBe(true)
    expect((await plot('--kind', 'cut', '--size', '3.5in', '--out', at('cut.png'))).code).toBe(0)
    expect(decode(readFileSync(at('cut.png'))).width).toBe(1050)
    expect((await plot('--kind', 'cut', '--names', 'VV,measured', '--out', at('cut.svg'))).code).toBe(0)
    const svg = readFileSync(at('cut.svg'), 'utf8')
    expect(svg).not.toContain('<text')
    expect(svg).toContain('<title>measured</title><path d="M')
    // Where the height is open, frame, axis and legend have their room.
    for (const kind of ['cut', 'polar']) {
      expect((await plot('--kind', kind, '--size', '50mm', '--out', at(`small-${kind}.svg`))).code).toBe(0)
      const small = readFileSync(at(`small-${kind}.svg`), 'utf8')
      const high = Number(/<svg[^>]* height="([\d.]+)"/.exec(small)![1])
      expect(high).toBeGreaterThan(0.64 * 189)
      if (kind === 'cut') {
        const [, y, h] = /<clipPath[^>]*><rect [^>]*y="([\d.]+)"[^>]* height="([\d.]+)"/.exec(small)!.map(Number) // prettier-ignore
        expect(y + h + 40).toBeLessThan(high)
      }
    }
    for (const [args, message] of [
      [['--out', at('two.png')], /choose by --kind and --pol, or give a folder or a \.pdf/],
      [['--names', 'a,b'], /--names is for one kind of figure: add --kind/],
      [['--kind', 'cut', '--ylim', '0:-40'], /write the lower and the upper end/],
      [['--kind', 'coverage'], /rcs\.csv has no data for it; it has for cut, polar/],
      [['--size', '10mm'], /50 mm to 1 m wide/],
      [['--size', '88mmx3in'], /write WIDTHxHEIGHT/],
      [['--kind', 'cut', '--size', '50mmx30mm'], /--size 50mmx30mm: cut needs a height of \d+\.\d+ mm/],
    ] as const) {
      await expectRefusal(['plot', at('rcs.csv'), '--pol', 'vv,hh', '--out', at('no.pdf'), ...args], message, folder) // prettier-ignore
    }
  })

  it('has --log and --names apply to the lines of receivers beside maps, and limits to sets of one sort', async () => {
    const folder = temporaryFolder()
    const at = (name: string): string => join(folder, name)
    mkdirSync(at('street'))
    const positionM = [0, 0, 1, 3, 4, 1, 0, 0, 2, 5, 0, 2, 0, 6, 2, 5, 6, 2]
    writeFileSync(at('street/results.npz'), writeNpz({
      freq_hz: vector(Float64Array.of(1e9)),
      position_m: { data: Float64Array.from(positionM), shape: [6, 3], dtype: '<f8' },
      h_vv: { data: new Float64Array(12).fill(0.1), shape: [1, 6], dtype: '<c16' },
    })) // prettier-ignore
    const receivers = [{ name: 'walk', first: 0, count: 2 }, { name: 'floor', first: 2, count: 4 }] // prettier-ignore
    writeFileSync(at('street/meta.json'), JSON.stringify({ receivers, scene: { transmitter: { position: [9, 9, 3] } } })) // prettier-ignore
    const plot = (...args: string[]) =>
      isar(['plot', at('street'), '--out', at('figures'), '--force', ...args])
    expect(await plot('--log', '--names', 'measured')).toMatchObject({ code: 0 })
    expect(readFileSync(at('figures/coverage-walk-vv.svg'), 'utf8')).toMatch(/Distance from the transmitter.*measured/s) // prettier-ignore
    expect(readFileSync(at('figures/coverage-floor-vv.svg'), 'utf8')).not.toContain('measured')
    await expectRefusal(['plot', at('street'), '--ylim', '-80:0', '--out', at('limited')], /--xlim, --ylim: street has receivers drawn as curves and as maps/, folder) // prettier-ignore
  })

  it('draws a table of isar rcs, and refuses what is none', async () => {
    const folder = temporaryFolder()
    const table = join(folder, 'rcs.csv')
    const args = '--freq 1e9 --theta 60:80:10 --phi 0:40:10 --device cpu --pol vv,hh'.split(' ')
    expect((await isar`rcs ${resolve('samples/plate.stl')} ${args} --out ${table}`).code).toBe(0)
    const figures = join(folder, 'figures')
    const drawn = await isar`plot ${table} --pol vv,hh --out ${figures} --json`
    expect(drawn.code).toBe(0)
    const names = (JSON.parse(drawn.stdout) as { figures: string[] }).figures.map((f) => f.split('/').pop())
    expect(names).toEqual(['aspect-map-vv', 'aspect-map-hh', 'cut-vv-hh', 'polar-vv-hh'].flatMap((f) => [`${f}.svg`, `${f}.png`])) // prettier-ignore
    expect(decode(readFileSync(join(figures, 'polar-vv-hh.png')))).toMatchObject({ width: 1000, height: 640 })
    // The CSV is rounded, the .npz is not.
    const npz = join(folder, 'same.npz')
    expect((await isar`rcs ${resolve('samples/plate.stl')} ${args} --out ${npz}`).code).toBe(0)
    const [a, b] = [await openResult(table), await openResult(npz)]
    expect(a.history!.phiDeg).toEqual(b.history!.phiDeg)
    const [x, y] = [a.history!.layers[0].data, b.history!.layers[0].data]
    x.forEach((v, i) => expect(Math.abs(v - y[i])).toBeLessThanOrEqual(1e-9 * Math.abs(y[i])))
    for (const [args, says] of [
      [['plot', table, '--pol', 'vv,hh', '--out', figures, '--quiet'], /exists; give --force/],
      [['plot', resolve('package.json')], /package\.json/],
      [['plot', join(folder, 'nothing')], /does not exist/],
      [['view', join(folder, 'nothing')], /does not exist/],
      [['view', table, '--port', 'x'], /--port/],
    ] as const)
      await expectRefusal(args, says, folder)
    // Another file of the same name is another result, even where its curves are the same.
    mkdirSync(join(folder, 'again'))
    writeFileSync(join(folder, 'again/rcs.csv'), readFileSync(table))
    const pair = await openResults([table, join(folder, 'again/rcs.csv')])
    expect(pair.map(({ place }) => place)).toEqual([`${basename(folder)}/rcs.csv`, 'again/rcs.csv'])
    const curves = (other: PlotData) => viewOf(pair[0], other, 'cut', settings).curves!
    expect(curves(pair[1])).toHaveLength(2 * viewOf(pair[0], null, 'cut', settings).curves!.length)
    expect(curves({ ...pair[1], place: pair[0].place })).toHaveLength(curves(pair[1]).length)
  })
})
