import { InputError } from '../scene/index.js'

/** RCS shown for nothing at all [dBsm]. */
export const NOTHING = -300

const decibels = (power: number): number => (power > 0 ? Math.max(NOTHING, 10 * Math.log10(power)) : NOTHING)

/**
 * Levels of complex numbers, interleaved re, im [dBsm]. @param scale  1 for pixels (|pixel|^2 is RCS), 4 pi for amplitudes F [m]
 */
export function levelsOf(complex: ArrayLike<number>, scale = 1): Float32Array {
  const levels = new Float32Array(complex.length / 2)
  for (let i = 0; i < levels.length; i++)
    levels[i] = decibels(scale * (complex[2 * i] ** 2 + complex[2 * i + 1] ** 2))
  return levels
}

/** Levels of an image's pixels in double precision [dBsm]. @throws InputError for pixels that are not finite */
export function imageDbsm(image: Float64Array): Float64Array {
  const levels = new Float64Array(image.length / 2)
  for (let i = 0; i < levels.length; i++) {
    const sigma = image[2 * i] ** 2 + image[2 * i + 1] ** 2
    if (!Number.isFinite(sigma))
      throw new InputError(`figure: pixel ${i} is ${sigma}; every pixel must be a finite number`)
    levels[i] = decibels(sigma)
  }
  return levels
}

export const highest = (levels: ArrayLike<number>): number => {
  let top = NOTHING
  for (let i = 0; i < levels.length; i++) if (levels[i] > top) top = levels[i]
  return top
}

/** Bottom of a scale of curves: `depth` below the top, or with `fit` a multiple of 5 dB below the lowest value, if that is higher. */
export function lowOf(
  curves: readonly { y: ArrayLike<number> }[],
  high: number,
  { depth, fit = false }: { depth: number; fit?: boolean },
): number {
  if (!fit) return high - depth
  let least = high - 10
  for (const { y } of curves)
    for (let i = 0; i < y.length; i++) if (y[i] > NOTHING && y[i] < least) least = y[i]
  return Math.max(high - depth, 5 * Math.floor(least / 5))
}

/** Least and greatest range that a picture takes by itself, and to what it is rounded [dB]. */
const RANGE = { least: 25, most: 60, step: 5 }
/** Part of the pixels that are to show. */
const SHOWN = 1 / 3

/**
 * Levels below its highest that show a third of an image's pixels [dB]: about its target and little of the sidelobes. Rounded to 5 dB, from 25
 * to 60 dB; of several images the largest; 50 dB where all are empty. @param given  a range that was asked for, which stands
 */
export function dynamicRange(images: Float64Array[], given: number | 'auto' = 'auto'): number {
  if (given !== 'auto') return given
  const ranges = images.flatMap((image) => {
    const levels = imageDbsm(image)
    const top = highest(levels)
    if (top <= NOTHING) return []
    const below = new Uint32Array(RANGE.most + 1)
    for (const level of levels) below[Math.min(RANGE.most, Math.ceil(top - level))]++
    let depth = 0
    for (let shown = below[0]; shown < SHOWN * levels.length && depth < RANGE.most;) shown += below[++depth]
    return [Math.max(RANGE.least, RANGE.step * Math.round(depth / RANGE.step))]
  })
  return ranges.length > 0 ? Math.max(...ranges) : 50
}

/** Number for the reader, with a true minus sign, which nothing at all has not. */
export const shown = (x: number, decimals: number): string =>
  x
    .toFixed(decimals)
    .replace(/^-(?=[0.]+$)/, '')
    .replace('-', '−')

/** The same with so many significant digits, and none that say nothing. */
export const short = (x: number, digits = 4): string =>
  String(Number(x.toPrecision(digits))).replace('-', '−')

export interface Grid {
  /** Levels, row after row of ascending y. */
  levels: Float32Array
  /** Uniform axes. */
  x: Float64Array
  y: Float64Array
}

/** The same grid with both axes ascending, as pictures are drawn. */
export function ascending({ levels, x, y }: Grid): Grid {
  const [flipX, flipY] = [x[0] > x[x.length - 1], y[0] > y[y.length - 1]]
  if (!flipX && !flipY) return { levels, x, y }
  const columns = x.length
  const out = levels.map((_, i) => {
    const r = Math.floor(i / columns)
    const c = i % columns
    return levels[(flipY ? y.length - 1 - r : r) * columns + (flipX ? columns - 1 - c : c)]
  })
  return { levels: out, x: flipX ? x.slice().reverse() : x, y: flipY ? y.slice().reverse() : y }
}

/** Level of the pixel nearest to a point; NOTHING outside. */
function levelAt({ levels, x, y }: Grid, px: number, py: number): number {
  const c = nearest(x, px)
  const r = nearest(y, py)
  return c < 0 || r < 0 ? NOTHING : levels[r * x.length + c]
}

/** Index of the sample of a uniform axis nearest to a value, or -1 more than half a step outside. */
export function nearest(axis: Float64Array, value: number): number {
  if (axis.length === 1) return 0
  const step = (axis[axis.length - 1] - axis[0]) / (axis.length - 1)
  const i = Math.round((value - axis[0]) / step)
  return i < 0 || i >= axis.length ? -1 : i
}

/** Differences a - b [dB] at the pixels of a, with both cut off at `floor`: what is below either's range says nothing. */
export function difference(a: Grid, b: Grid, floor: number): Float32Array {
  const out = new Float32Array(a.levels.length)
  for (let r = 0; r < a.y.length; r++)
    for (let c = 0; c < a.x.length; c++) {
      const i = r * a.x.length + c
      out[i] = Math.max(floor, a.levels[i]) - Math.max(floor, levelAt(b, a.x[c], a.y[r]))
    }
  return out
}

export interface Peak {
  x: number
  y: number
  level: number
}

/** The strongest local maxima, at most `count`, no two closer than a cell of (dx, dy), none `depth` below the first. */
export function peaks({ levels, x, y }: Grid, dx: number, dy: number, count: number, depth: number): Peak[] {
  const columns = x.length
  const top = highest(levels)
  const found: Peak[] = []
  for (let r = 1; r + 1 < y.length; r++)
    for (let c = 1; c + 1 < columns; c++) {
      const level = levels[r * columns + c]
      if (level < top - depth) continue
      let isPeak = true
      for (let i = -1; i <= 1 && isPeak; i++)
        for (let j = -1; j <= 1; j++)
          if ((i || j) && levels[(r + i) * columns + c + j] > level) isPeak = false
      if (isPeak) found.push({ x: x[c], y: y[r], level })
    }
  found.sort((a, b) => b.level - a.level)
  const kept: Peak[] = []
  for (const p of found) {
    if (kept.length === count) break
    if (!kept.some((k) => Math.abs(k.x - p.x) < 1.5 * dx && Math.abs(k.y - p.y) < 1.5 * dy)) kept.push(p)
  }
  return kept
}

/** Ends of error bars [dBsm], where there are errors: amplitudes F [m], interleaved re, im, less and more their errors [m]. */
export function barLevels(
  data: Float64Array,
  errors: Float64Array | undefined,
): { low: Float64Array; high: Float64Array } | undefined {
  const dbsm = (sign: number): Float64Array =>
    errors!.map((e, i) => {
      const amplitude = Math.max(0, Math.hypot(data[2 * i], data[2 * i + 1]) + sign * e)
      return 10 * Math.log10(Math.max(4 * Math.PI * amplitude ** 2, 1e-30))
    })
  return errors && { low: dbsm(-1), high: dbsm(1) }
}

/** What error bars amount to. */
export interface BarSummary {
  /** Median of the bars of |F| [m], and of how far their upper ends lie above the levels [dB]. */
  medianM: number
  medianDb: number
  /** Part of the values whose bar reaches down to nothing. */
  reachesZero: number
}

/** Of amplitudes F [m], interleaved re, im, with their errors [m]; values of exactly zero without a bar do not count. */
export function barSummary(data: ArrayLike<number>, errors: ArrayLike<number>): BarSummary {
  const [bars, above]: [number[], number[]] = [[], []]
  let zero = 0
  for (let i = 0; i < errors.length; i++) {
    const amplitude = Math.hypot(data[2 * i], data[2 * i + 1])
    if (amplitude === 0 && errors[i] === 0) continue
    bars.push(errors[i])
    above.push(20 * Math.log10(1 + errors[i] / amplitude))
    if (errors[i] >= amplitude) zero++
  }
  const median = (of: number[]): number => of.sort((a, b) => a - b)[of.length >> 1] ?? 0
  return { medianM: median(bars), medianDb: median(above), reachesZero: zero / Math.max(1, bars.length) }
}

/** The same for the reader. */
export const barText = ({ medianM, medianDb, reachesZero }: BarSummary): string =>
  `median ±${Number((medianM < 0.1 ? 1000 * medianM : medianM).toPrecision(2))} ${medianM < 0.1 ? 'mm' : 'm'} in F (up to ${Number.isFinite(medianDb) ? shown(medianDb, 1) : '∞'} dB more), ${Number((100 * reachesZero).toPrecision(2))} % reach zero`
